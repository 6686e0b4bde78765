"""Configure pytest for the book: find the tools, and hold notebooks to strict nbval.

What strict means is said in ``tools/strict_nbval.py``.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "tools"))

pytest_plugins = ["strict_nbval"]

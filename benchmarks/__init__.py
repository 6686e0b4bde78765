"""Speed and memory of minigrad, measured beside the same work written by hand.

``python tools/do.py bench`` runs everything here; README.md says what is measured, and
how. Nothing in this folder is a test, and no test of the project looks at a clock.
"""

import os

# One thread, for everybody: this has to be said before NumPy is imported.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

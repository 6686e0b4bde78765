"""bookkit: the few helpers that the book's notebooks share.

    from bookkit import check, plt, show, table

* ``check``  runs an exercise's automatic check and says which property failed;
* ``plt``    is ``matplotlib.pyplot`` with the book's style applied;
* ``show``   displays a figure as inline SVG with a text alternative and caption;
* ``table``  displays rows as an accessible HTML table (and as plain text).

Nothing of minigrad depends on this package, and it depends on nothing of
minigrad: it serves the pages, not the engine. matplotlib is imported only when
``plt`` or ``show`` is first asked for. In a notebook, whoever imports it also lets the
package grow with the chapter (see `bookkit.growing`).
"""

import importlib

from bookkit import growing
from bookkit.checks import Result, check, exercise
from bookkit.tables import table

_LAZY = {"plt": "bookkit.figures", "show": "bookkit.figures"}

growing.follow()

__all__ = ["Result", "check", "exercise", "plt", "show", "table"]


def __getattr__(name: str):
    """Import the plotting half on first use (PEP 562)."""
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'bookkit' has no attribute {name!r}")

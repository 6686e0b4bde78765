# Generated from chapter 6 (book/ch06-graph.ipynb): edit the chapter, not this.
"""What helps to look at a program from outside: drawings, and the player of a pass.

Nothing here is needed to compute, and nothing is imported before it is asked for.
"""

__all__ = ["drawing", "player"]

"""The book's own Sphinx extensions, one idea each.

``mathematics``
    Formulas become HTML and MathML while the book is built; no script for the reader.
``cells``
    What a code cell is for: exported to a file, your turn, a check, a folded solution.
``callouts``
    Block quotes that open with **Build.**, **Trap.** … become labelled boxes.
``journey``
    The map from chapters to the files of minigrad, drawn from the sources.
``heads``
    Under each chapter's title: what it needs, how long it takes, what it builds.
``ledger``
    Tables of what PyTorch answers, and of where minigrad means to differ.
``api``
    The API reference, and links to it from every chapter.
``lean_theme``
    Drops what the pages do not need, and repairs what screen readers trip over.
"""

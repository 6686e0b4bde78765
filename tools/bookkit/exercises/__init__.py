"""The checks of the book's exercises, one module per chapter."""

"""Small tables that read well in the page, in Jupyter and in a terminal."""

import html
from collections.abc import Iterable, Sequence


class Table:
    """Rows of text with a header and a caption; displays as HTML or plain text."""

    def __init__(
        self, header: Sequence[str], rows: Iterable[Sequence], caption: str = ""
    ):
        self.header = [str(cell) for cell in header]
        self.rows = [[str(cell) for cell in row] for row in rows]
        self.caption = caption
        if not all(cell.strip() for cell in self.header):
            raise ValueError("a column without a header cannot be read out: name it")
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(
                    f"row {row} has {len(row)} cells, the header {len(self.header)}"
                )

    def __repr__(self) -> str:
        lines = [self.header, *self.rows]
        widths = [max(len(line[k]) for line in lines) for k in range(len(self.header))]
        text = [
            "  ".join(
                cell.ljust(width) for cell, width in zip(line, widths, strict=True)
            ).rstrip()
            for line in lines
        ]
        text.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join(([self.caption] if self.caption else []) + text)

    def _repr_html_(self) -> str:
        def cells(tag: str, row: list[str], attributes: str = "") -> str:
            return "".join(f"<{tag}{attributes}>{_inline(c)}</{tag}>" for c in row)

        caption = f"<caption>{_inline(self.caption)}</caption>" if self.caption else ""
        head = cells("th", self.header, ' scope="col"')
        body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in self.rows)
        return (
            f'<table class="bk-table">{caption}\n<thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody></table>"
        )


def table(header: Sequence[str], rows: Iterable[Sequence], caption: str = "") -> Table:
    """Make a table of ``rows``; text in `backticks` is shown as code.

    Numbers are shown as ``str`` shows them: format them first.
    """
    return Table(header, rows, caption)


def _inline(text: str) -> str:
    """Escape ``text`` and turn `backticks` into ``<code>``."""
    parts = html.escape(text, quote=False).split("`")
    if len(parts) % 2 == 0:  # an unpaired backtick stays what it is
        return "`".join(parts)
    return "".join(f"<code>{p}</code>" if k % 2 else p for k, p in enumerate(parts))

"""Record what PyTorch answers to the programs of the troubleshooting pages.

Run at the root of the repository, with a Python that has PyTorch:

    python -m tests.reference.record_troubles

The programs are cells of ``book/trouble-*.ipynb`` and ``book/misconceptions.ipynb``,
those that begin with one of the `ROLES`. Each stands alone, on top of what its page's
first cells define. What each comes to on PyTorch goes to troubles.json beside this
file; the tests run the same cells on minigrad.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.reference import ledger

HERE = Path(__file__).parent
BOOK = HERE.parents[1] / "book"
RECORDED = HERE / "troubles.json"
TROUBLES = sorted(path.stem for path in BOOK.glob("trouble-*.ipynb"))
MISCONCEPTIONS = "misconceptions"
START = "import copy\nnn, F = torch.nn, torch.nn.functional\n"
SHARED = "# used by the entries of this page"
SYMPTOM, FIX, NO_FIX = "# the symptom", "# the fix", "# no fix"
EXPERIMENT = "# the experiment"
ROLES = (SYMPTOM, FIX, NO_FIX, EXPERIMENT)


@dataclass
class Entry:
    """One section of a page: its heading, its prose and its programs by role."""

    page: str
    heading: str
    prose: str = ""
    programs: dict[str, str] = field(default_factory=dict)
    repeated: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The page and the heading."""
        return f"{self.page}: {self.heading}"

    @property
    def quoted(self) -> str:
        """The words of a message, if the heading begins with them."""
        found = re.match(r"`([^`]+)`", self.heading)
        return found[1] if found and " " in found[1] else ""

    def case(self, role: str) -> str:
        """The name under which a program is recorded."""
        return f"{self.name} / {role.removeprefix('# ')}"


def entries(page: str) -> Iterator[Entry]:
    """Read the sections of a notebook that have programs."""
    text = (BOOK / f"{page}.ipynb").read_text(encoding="utf-8")
    start, entry = START, Entry(page, "")
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            for part in re.split(r"(?m)^(?=## )", source):
                if part.startswith("## "):
                    if entry.programs:
                        yield entry
                    heading, _, part = part.partition("\n")
                    entry = Entry(page, heading.removeprefix("## ").strip())
                entry.prose += part
            continue
        role, _, program = source.partition("\n")
        if role == SHARED:
            start += f"{program}\n"
        elif role in ROLES:
            if role in entry.programs:
                entry.repeated.append(role)
            entry.programs[role] = start + program
    if entry.programs:
        yield entry


ENTRIES = [entry for page in TROUBLES for entry in entries(page)]
CLAIMS = list(entries(MISCONCEPTIONS))
CASES = {
    entry.case(role): program
    for entry in [*ENTRIES, *CLAIMS]
    for role, program in entry.programs.items()
}


def main() -> None:
    """Run all programs on PyTorch and write what they come to."""
    import torch.utils.checkpoint  # noqa: F401 (not loaded with torch)

    ledger.record(CASES, RECORDED)


if __name__ == "__main__":
    main()

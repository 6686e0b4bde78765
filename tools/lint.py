"""Check a notebook: what a machine can see of the book's rules.

Each rule is a function that takes a `Page`, a notebook, and yields problems. `lint`
applies them all to a chapter, and to a notebook that is no chapter (a companion, such
as a troubleshooting page) those that do not ask for a chapter's anatomy.
`unique_figures` looks at the whole book.

    python tools/lint.py            check all notebooks
    python tools/lint.py 2          check chapter 2
"""

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from nbformat import NotebookNode
from nbval.plugin import find_comment_markers

import cells
import exercises
import tangle
from cells import NotebookError, Problem
from toc import ROOT, Chapter, Document, TocError, chapters, companions

TAGS = {
    *("raises-exception", "nbval-ignore-output"),
    *("exercise", "exercise-check", "solution"),
}
MIMES = {"text/plain", "text/html", "text/markdown", "text/latex"}
CALLOUTS = {"Build.", "Trap.", "Aside.", "In PyTorch.", "Now you can."}
WORDS = (1800, 4500)
EXERCISES = (4, 8)
CODE_LINES = 25  # of an exported cell, without docstrings, blank lines, messages
CELL_LINES = 40  # of an exported cell, all told
MINIMUM_REASON = 15
MINIMUM_ALT = 40
WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
ADDRESS = re.compile(r"\bat 0x[0-9a-f]+|\b0x[0-9a-f]{8,}", re.IGNORECASE)
ABSOLUTE_PATH = re.compile(
    r"(?:^|(?<=[\s\"'(=:,>\[]))(?:/(?:[\w.+@-]+/)+[\w.+@-]*|~/\w|[A-Za-z]:\\\w|file://)",
    re.MULTILINE,
)
FILE_NAME = re.compile(r"\S+\.(?:png|jpe?g|gif|svg|pdf|webp)", re.IGNORECASE)
ANSI = re.compile(r"\x1b\[[0-9;]*m")
EXECUTE = "run `{}` and commit the result"
MARKDOWN = (
    MarkdownIt("commonmark").enable("table").use(dollarmath_plugin).disable("text_join")
)


@dataclass(frozen=True)
class Page:
    """A notebook, mostly a chapter's, with what the rules need to know of it."""

    chapter: Chapter | Document
    notebook: NotebookNode

    @classmethod
    def read(cls, chapter: Chapter | Document) -> "Page":
        """Read the notebook of a chapter or of a companion."""
        return cls(chapter, cells.read(chapter.file))

    @property
    def cells(self) -> list[tuple[int, NotebookNode]]:
        """The cells, numbered from 1."""
        return list(enumerate(self.notebook.cells, start=1))

    @property
    def code(self) -> list[tuple[int, NotebookNode]]:
        """The code cells, numbered among all cells."""
        return [(n, cell) for n, cell in self.cells if cell.cell_type == "code"]

    @property
    def outputs(self) -> Iterator[tuple[int, NotebookNode]]:
        """The outputs, each with the number of its cell."""
        return ((n, output) for n, cell in self.code for output in cell.outputs)

    @cached_property
    def prose(self) -> list[tuple[int, list[Token]]]:
        """The Markdown cells, parsed, numbered among all cells."""
        return [
            (n, MARKDOWN.parse(cell.source))
            for n, cell in self.cells
            if cell.cell_type == "markdown"
        ]

    @cached_property
    def headings(self) -> list[tuple[int, int, str]]:
        """The headings as (cell, level, text)."""
        return [
            (number, int(token.tag[1]), following.content)
            for number, tokens in self.prose
            for token, following in pairwise(tokens)
            if token.type == "heading_open"
        ]

    @cached_property
    def figures(self) -> list[tuple[int, "Figures"]]:
        """What the HTML outputs show, by cell."""
        return [
            (number, Figures.of(output.data["text/html"]))
            for number, output in self.outputs
            if "text/html" in output.get("data", {})
        ]

    @property
    def each_figure(self) -> Iterator[tuple[int, "Figure"]]:
        """The figures made by ``show``, each with the number of its cell."""
        return ((n, figure) for n, figures in self.figures for figure in figures.found)

    def problem(self, number: int, what: str, remedy: str) -> Problem:
        """Make a problem of a cell."""
        cell = self.notebook.cells[number - 1]
        return Problem(cells.place(self.chapter, number, cell), what, remedy)

    def execute(self) -> str:
        """Say how the outputs are renewed."""
        if isinstance(self.chapter, Chapter):
            return EXECUTE.format(f"make execute CHAPTER={self.chapter.number}")
        return EXECUTE.format(f"python tools/notebooks.py execute {self.chapter.path}")


Rule = Callable[[Page], Iterator[Problem]]


# ---------------------------------------------------------------- running and comparing


def every_cell_has_run(page: Page) -> Iterator[Problem]:
    """Each code cell has run, in order, in one go; an empty cell has no business."""
    count = 0
    for number, cell in page.cells:
        if not cell.source.strip():
            yield page.problem(number, "the cell is empty", "remove it")
        if not cells.has_code(cell):
            continue
        count += 1
        if cell.execution_count is None:
            what = "the cell was never run, or its outputs were stripped"
            yield page.problem(number, what, page.execute())
        elif cell.execution_count != count:
            what = f"the cell ran as [{cell.execution_count}], and is number {count}"
            yield page.problem(number, what, page.execute())


def tags_are_known(page: Page) -> Iterator[Problem]:
    """No tag but the book's; above all none that skips a cell or hides an error."""
    for number, cell in page.cells:
        for tag in cells.tags(cell):
            if tag not in TAGS:
                what = f"the tag `{tag}` is unknown"
                yield page.problem(number, what, f"use {_listed(TAGS)}, or no tag")


def no_nbval_comments(page: Page) -> Iterator[Problem]:
    """Nothing is exempt by comment: a tag is seen by readers, and has a reason."""
    for number, cell in page.code:
        for _ in find_comment_markers(cell.source):
            yield page.problem(
                number,
                "a comment tells nbval to treat the cell in another way",
                "remove it; if need be, tag the cell `nbval-ignore-output` and give a "
                "`reason` in its metadata",
            )


def exemptions_have_reasons(page: Page) -> Iterator[Problem]:
    """An output that is not compared says why not."""
    for number, cell in page.cells:
        reason = str(cell.metadata.get("reason", "")).strip()
        exempt = "nbval-ignore-output" in cells.tags(cell)
        if exempt and len(reason) < MINIMUM_REASON:
            what = "the output is exempt from comparison, without a reason"
            remedy = (
                f'add "reason": "…" (at least {MINIMUM_REASON} characters) to the '
                "cell's metadata, or make the output reproducible and remove the tag"
            )
            yield page.problem(number, what, remedy)


def errors_are_meant(page: Page) -> Iterator[Problem]:
    """A cell shows an error exactly if it is tagged ``raises-exception``."""
    for number, cell in page.code:
        raised = any(output.output_type == "error" for output in cell.outputs)
        meant = "raises-exception" in cells.tags(cell)
        if meant and not raised:
            what = "tagged `raises-exception`, but no error is stored"
            yield page.problem(number, what, f"remove the tag, or {page.execute()}")
        if raised and not meant:
            what = "the stored output is an error"
            remedy = "mend the cell, or tag it `raises-exception` if the error is meant"
            yield page.problem(number, what, remedy)


def nothing_on_stderr(page: Page) -> Iterator[Problem]:
    """No warnings or other remarks on standard error."""
    for number, output in page.outputs:
        if output.output_type == "stream" and output.name == "stderr":
            what = f"the cell wrote to standard error: {_shorten(output.text)}"
            remedy = f"remove the cause of the warning, then {page.execute()}"
            yield page.problem(number, what, remedy)


def code_is_plain(page: Page) -> Iterator[Problem]:
    """No ``;`` at the end of a line, no ``Out[n]``, no ``plt.show()``."""
    for number, cell in page.code:
        if _ends_with_semicolon(cell.source):
            what = "a line ends with a semicolon"
            yield page.problem(number, what, "assign the value to a name instead")
        if re.search(r"\bOut\[", cell.source):
            what = "the code refers to `Out[…]`"
            yield page.problem(number, what, "give the value a name")
        if re.search(r"\bplt\.show\(", cell.source):
            what = "the figure is shown by plt.show()"
            remedy = 'use show(fig, "chNN-name", alt="…", caption="…") of bookkit'
            yield page.problem(number, what, remedy)


def outputs_are_the_same_everywhere(page: Page) -> Iterator[Problem]:
    """No memory addresses and no paths of this machine in what a cell gives."""
    for number, output in page.outputs:
        text = ANSI.sub("", "\n".join(_texts(output)))
        for pattern, name in (
            (ADDRESS, "a memory address"),
            (ABSOLUTE_PATH, "an absolute path"),
        ):
            if match := pattern.search(text):
                what = f"the output holds {name}: {match[0]}"
                remedy = "print something that is the same everywhere, then "
                yield page.problem(number, what, remedy + page.execute())


# ----------------------------------------------------------------------- what is shown


def outputs_are_text(page: Page) -> Iterator[Problem]:
    """Outputs are text or HTML; pictures come from ``show``, as inline SVG."""
    for number, output in page.outputs:
        for mime in output.get("data", {}):
            if mime not in MIMES:
                what = f"the output is of type {mime}"
                remedy = 'show figures with show(fig, "chNN-name", alt=…, caption=…)'
                yield page.problem(number, what, remedy)


def figures_come_from_show(page: Page) -> Iterator[Problem]:
    """No drawing and no image outside the frame that ``show`` gives."""
    for number, figures in page.figures:
        if figures.strays:
            what = f"<{figures.strays[0]}> stands outside a figure made by show"
            remedy = 'use show(fig, "chNN-name", alt="…", caption="…") of bookkit'
            yield page.problem(number, what, remedy)


def figures_are_described(page: Page) -> Iterator[Problem]:
    """Each figure has a name of this chapter, and a text that says what it shows."""
    prefix = f"ch{page.chapter.number:02d}-"
    for number, figure in page.each_figure:
        if not figure.name.startswith(prefix):
            what = f"the figure's name, `{figure.name}`, does not begin with {prefix}"
            yield page.problem(number, what, f"call it {prefix}…")
        if fault := _alt_fault(figure.alt, MINIMUM_ALT):
            what = f"the text alternative of `{figure.name}` {fault}"
            remedy = "say in one to three sentences what the picture shows"
            yield page.problem(number, what, remedy)


def images_are_described(page: Page) -> Iterator[Problem]:
    """Images in the prose have a text alternative."""
    for number, tokens in page.prose:
        for alt in _alternatives(tokens):
            if fault := _alt_fault(alt):
                what = f"the text alternative of an image {fault}"
                yield page.problem(number, what, "say what the picture shows")


# --------------------------------------------------------------------------- the prose


def one_title(page: Page) -> Iterator[Problem]:
    """The chapter begins with its title, the only heading of level 1."""
    titles = [(number, text) for number, level, text in page.headings if level == 1]
    if not titles or titles[0][0] != 1 or page.headings[0][1] != 1:
        what = "the chapter does not begin with its title"
        yield page.problem(1, what, "begin the first cell with `# Title`")
    for number, text in titles[1:]:
        what = f"a second heading of level 1: {text}"
        yield page.problem(number, what, "make it a section, `## …`")
    for number, text in titles[:1]:
        if "$" in text or re.match(r"(chapter\s*)?\d", text, re.IGNORECASE):
            what = f"the title holds a formula or a number: {text}"
            yield page.problem(number, what, "use words; the number is added by itself")


def no_skipped_levels(page: Page) -> Iterator[Problem]:
    """Headings go down one level at a time, and are written as Markdown."""
    previous = 0
    for number, level, text in page.headings:
        if level > previous + 1:
            what = f"a heading of level {level} follows one of level {previous}: {text}"
            yield page.problem(number, what, f"use {'#' * (previous + 1)}")
        previous = level
    for number, tokens in page.prose:
        if any(re.search(r"<h[1-6]\b", html) for html in _raw_html(tokens)):
            yield page.problem(number, "a heading is written in HTML", "use `#` signs")


def markdown_is_closed(page: Page) -> Iterator[Problem]:
    """No code fence and no formula is left open."""
    for number, tokens in page.prose:
        source = page.notebook.cells[number - 1].source.split("\n")
        for token in tokens:
            if token.type == "fence" and not _is_closed(token, source):
                what = f"the code fence of line {token.map[0] + 1} is not closed"
                yield page.problem(number, what, f"close it with {token.markup}")
        if any("$" in text for text in _plain(tokens)):
            what = "a formula is not closed: a `$` stands alone"
            yield page.problem(number, what, "close the formula, or write `\\$`")


def no_conflict_markers(page: Page) -> Iterator[Problem]:
    """No merge was left half done."""
    for number, cell in page.cells:
        texts = [cell.source]
        texts += [t for output in cell.get("outputs", []) for t in _texts(output)]
        if any(cells.CONFLICT.search(text) for text in texts):
            what = "a merge conflict was left in the cell"
            yield page.problem(number, what, "resolve the conflict")


def callouts_are_known(page: Page) -> Iterator[Problem]:
    """Callouts have one of the known keywords; *Build* and *Now you can* occur once."""
    found = [(n, keyword) for n, tokens in page.prose for keyword in _callouts(tokens)]
    for number, keyword in found:
        if keyword not in CALLOUTS:
            what = f"the callout “{keyword}” is unknown"
            remedy = f"use {_listed(CALLOUTS)}, or do not begin the quotation in bold"
            yield page.problem(number, what, remedy)
    for required in ("Build.", "Now you can."):
        count = [keyword for _, keyword in found].count(required)
        if count != 1:
            what = f"the chapter has {count} callouts “{required}”, not 1"
            yield Problem(str(page.chapter), what, f"write one: `> **{required}** …`")


def enough_prose(page: Page) -> Iterator[Problem]:
    """A chapter is neither thin nor padded."""
    count, (least, most) = count_words(page), WORDS
    if not least <= count <= most:
        what = f"the chapter has {count} words of prose; {least} to {most} are wanted"
        remedy = "explain more" if count < least else "cut, or make it two chapters"
        yield Problem(str(page.chapter), what, remedy)


def count_words(page: Page) -> int:
    """Count the words in paragraphs, without headings, tables, code and formulas."""
    return sum(
        len(WORD.findall(_words_of(inline)))
        for _, tokens in page.prose
        for opening, inline in pairwise(tokens)
        if opening.type == "paragraph_open"
    )


# --------------------------------------------------------------------- exported cells


def exported_cells_are_short(page: Page) -> Iterator[Problem]:
    """An exported cell fits on a screen."""
    for number, cell in page.code:
        first, _, code = cell.source.partition("\n")
        if not tangle.DIRECTIVE.fullmatch(first):
            continue
        lines = code.strip("\n").split("\n")
        if len(lines) > CELL_LINES:
            what = f"the exported cell has {len(lines)} lines; at most {CELL_LINES} fit"
            yield page.problem(number, what, "split it, with prose between the parts")
        elif (count := _lines_of_code(code)) > CODE_LINES:
            what = (
                f"the exported cell has {count} lines of code (docstrings and blank "
                f"lines aside); {CODE_LINES} is the limit"
            )
            yield page.problem(number, what, "split it, with prose between the parts")


# -------------------------------------------------------------------------- exercises


def exercises_are_complete(page: Page) -> Iterator[Problem]:
    """Each exercise has all its cells, in order, tagged."""
    found, strays = exercises.find(page.notebook.cells)
    for exercise in found:
        for part in ("start", "check", "explanation", "solution"):
            if not getattr(exercise, part):
                what = f"exercise {exercise.number}: the {part} is not where it belongs"
                yield page.problem(exercise.statement, what, exercises.SHAPE)
                break
    for number in strays:
        tags = _listed(set(cells.tags(page.notebook.cells[number - 1])))
        what = f"a cell tagged {tags} belongs to no exercise, or stands out of order"
        yield page.problem(number, what, exercises.SHAPE)


def exercises_are_numbered(page: Page) -> Iterator[Problem]:
    """Exercises are N.1, N.2, … in one section at the end, 4 to 8 of them."""
    found, _ = exercises.find(page.notebook.cells)
    sections = [n for n, *heading in page.headings if heading == [2, "Exercises"]]
    if len(sections) != 1:
        what = f"the chapter has {len(sections)} sections “Exercises”, not 1"
        yield Problem(str(page.chapter), what, "write one: `## Exercises`")
    for k, exercise in enumerate(found, start=1):
        expected = f"{page.chapter.number}.{k}"
        if exercise.number != expected:
            what = f"the exercise is {exercise.number}, and should be {expected}"
            yield page.problem(exercise.statement, what, f"call it {expected}")
        if sections and exercise.statement < sections[0]:
            what = "the exercise stands before the section “Exercises”"
            yield page.problem(exercise.statement, what, "move it into the section")
    least, most = EXERCISES
    if not least <= len(found) <= most:
        what = f"the chapter has {len(found)} exercises; {least} to {most} are wanted"
        yield Problem(str(page.chapter), what, "add some, or leave some out")


def exercises_are_stated(page: Page) -> Iterator[Problem]:
    """A statement begins its cell; it has a heading, its effort and a text."""
    for number, _, title in page.headings:
        if not re.match(r"exercise\s*\d", title, re.IGNORECASE):
            continue
        heading, *rest = page.notebook.cells[number - 1].source.split("\n")
        if title not in heading:
            what = f"the heading of an exercise is not the first line: {title}"
            yield page.problem(number, what, "begin a new cell with it")
            continue
        if not exercises.HEADING.fullmatch(heading):
            what = f"the heading is not that of an exercise: {heading}"
            remedy = f"write `### Exercise {page.chapter.number}.k: Title`"
            yield page.problem(number, what, remedy)
        if len(rest) < 2 or rest[0] or not exercises.EFFORT.fullmatch(rest[1]):
            what = "the effort is missing or misspelled"
            remedy = (
                "write `*10 minutes · medium*` (or warm-up, or hard) two lines below"
            )
            yield page.problem(number, what, remedy)
        if not "\n".join(rest[2:]).strip():
            yield page.problem(number, "the exercise says nothing", "state it")


def exercises_are_checked(page: Page) -> Iterator[Problem]:
    """The check and the last solution cell end in ``check("N.k", …)``, and show it."""
    found, _ = exercises.find(page.notebook.cells)
    for exercise in found:
        for number, said in (
            (exercise.check, exercises.EMPTY),
            (exercise.solution[-1] if exercise.solution else 0, ": passed."),
        ):
            if not number:
                continue  # exercises_are_complete reports it
            cell = page.notebook.cells[number - 1]
            call = exercises.check_call(cell.source)
            if exercises.number_of(call) != exercise.number:
                call = f'check("{exercise.number}", …)'
                what = f"the cell does not end in its only check, {call}"
                yield page.problem(number, what, f"end the cell with {call}")
            text = "\n".join(t for output in cell.outputs for t in _texts(output))
            if cell.execution_count is not None and said not in text:
                what = f"the output does not say “{said.strip(': .')}”"
                yield page.problem(number, what, page.execute())


def solutions_are_folded(page: Page) -> Iterator[Problem]:
    """Jupyter hides a solution's source until it is asked for."""
    for number, cell in page.code:
        hidden = cell.metadata.get("jupyter", {}).get("source_hidden", False)
        if "solution" in cells.tags(cell) and hidden is not True:
            what = "the solution is in plain sight in Jupyter"
            remedy = 'add "jupyter": {"source_hidden": true} to the cell\'s metadata'
            yield page.problem(number, what, remedy)


# ------------------------------------------------------------------------- all together

RULES: tuple[Rule, ...] = (
    every_cell_has_run,
    tags_are_known,
    no_nbval_comments,
    exemptions_have_reasons,
    errors_are_meant,
    nothing_on_stderr,
    code_is_plain,
    outputs_are_the_same_everywhere,
    outputs_are_text,
    figures_come_from_show,
    figures_are_described,
    images_are_described,
    one_title,
    no_skipped_levels,
    markdown_is_closed,
    no_conflict_markers,
    callouts_are_known,
    enough_prose,
    exported_cells_are_short,
    exercises_are_stated,
    exercises_are_complete,
    exercises_are_numbered,
    exercises_are_checked,
    solutions_are_folded,
)


OF_A_CHAPTER: tuple[Rule, ...] = (  # what a companion need not have
    figures_are_described,  # by a name that holds the chapter's number
    callouts_are_known,
    enough_prose,
    exported_cells_are_short,  # tangle: nothing but a chapter may export
    exercises_are_stated,
    exercises_are_complete,
    exercises_are_numbered,
    exercises_are_checked,
    solutions_are_folded,
)


def lint(page: Page) -> list[Problem]:
    """Apply every rule that the page has to keep."""
    companion = not isinstance(page.chapter, Chapter)
    rules = (rule for rule in RULES if not (companion and rule in OF_A_CHAPTER))
    return [problem for rule in rules for problem in rule(page)]


def unique_figures(pages: Iterable[Page]) -> Iterator[Problem]:
    """No two figures of the book share a name or a text alternative."""
    seen: dict[str, str] = {}
    for page in pages:
        for number, figure in page.each_figure:
            here = cells.place(page.chapter, number, page.notebook.cells[number - 1])
            for kind, value in (("name", figure.name), ("alt text", figure.alt)):
                if first := seen.get(f"{kind} {value}"):
                    what = f"the {kind} “{value}” is that of another figure:\n{first}"
                    yield Problem(here, what, "give each figure its own")
                seen[f"{kind} {value}"] = here


def count_exemptions(root: Path = ROOT) -> list[str]:
    """Say, page by page, which outputs are exempt from comparison, and why."""
    lines = []
    try:
        pages = [Page.read(each) for each in [*chapters(root), *companions(root)]]
    except (TocError, NotebookError) as error:
        return [f"exempt from comparison: unknown ({error})"]
    for page in pages:
        exempt = [c for _, c in page.code if "nbval-ignore-output" in cells.tags(c)]
        lines.append(f"exempt from comparison in {page.chapter}: {len(exempt)} cells")
        reasons = (cell.metadata.get("reason", "no reason given") for cell in exempt)
        lines += [f"  {c.id}: {why}" for c, why in zip(exempt, reasons, strict=True)]
    return lines


# ----------------------------------------------------------------------------- helpers


@dataclass(frozen=True)
class Figure:
    """A figure made by ``show``."""

    name: str
    alt: str


class Figures(HTMLParser):
    """Finds the figures in an HTML output, and drawings that stand outside of one."""

    def __init__(self):
        super().__init__()
        self.found: list[Figure] = []
        self.strays: list[str] = []
        self._name: str | None = None

    @classmethod
    def of(cls, html: str) -> "Figures":
        """Parse a fragment of HTML."""
        parser = cls()
        parser.feed(html)
        parser.close()
        return parser

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the beginning of a figure, a drawing or an image."""
        attributes = {name: value or "" for name, value in attrs}
        if tag == "figure" and "bk-figure" in attributes.get("class", "").split():
            self._name = attributes.get("id", "").removeprefix("fig-")
        elif tag == "svg" and self._name is not None:
            self.found.append(Figure(self._name, attributes.get("aria-label", "")))
        elif tag in ("svg", "img", "canvas"):
            self.strays.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Note the end of a figure."""
        if tag == "figure":
            self._name = None


def _alt_fault(alt: str, least: int = 1) -> str:
    """Say what is wrong with a text alternative; nothing if it is good."""
    alt = alt.strip()
    if not alt:
        return "is empty"
    if FILE_NAME.fullmatch(alt):
        return f"is a file name: {alt}"
    if len(alt) < least:
        return f"has {len(alt)} characters, and needs {least}: {alt}"
    return ""


def _alternatives(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the text alternatives of the images in some Markdown."""
    for token in tokens:
        for child in token.children or []:
            if child.type == "image":
                yield child.content
    for html in _raw_html(tokens):
        for image in re.findall(r"<img\b[^>]*>", html, re.IGNORECASE | re.DOTALL):
            alt = re.search(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)')""", image)
            yield (alt[1] or alt[2] or "") if alt else ""


def _raw_html(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the raw HTML in some Markdown."""
    for token in tokens:
        if token.type in ("html_block", "html_inline"):
            yield token.content
        yield from _raw_html(token.children or [])


def _plain(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the plain text in some Markdown, without code, formulas and escapes."""
    for token in tokens:
        if token.type == "text":
            yield token.content
        yield from _plain(token.children or [])


def _words_of(inline: Token) -> str:
    """Return an inline token's text and code, as one string."""
    spoken = {"text", "text_special", "code_inline"}
    return "".join(
        child.content if child.type in spoken else " " * (child.type == "softbreak")
        for child in inline.children or []
    )


def _is_closed(fence: Token, source: Sequence[str]) -> bool:
    """True when a code fence has a last line that closes it."""
    first, end = fence.map
    last = source[end - 1].lstrip("> ").rstrip()
    return end - first > 1 and last.startswith(fence.markup) and not last.strip("`~")


def _callouts(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the bold words with which quotations begin, if they end in a full stop."""
    for quote, _, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        children = inline.children or []
        if quote.type == "blockquote_open" and len(children) > 1:
            bold = re.match(r"\*\*([^*]+\.)\*\*", inline.content)
            if bold:
                yield bold[1]


def _ends_with_semicolon(source: str) -> bool:
    """True when a line of code ends with a semicolon."""
    ends = {tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER}
    previous = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in ends and previous == ";":
                return True
            previous = token.string
    except (tokenize.TokenError, IndentationError):  # magics
        return bool(re.search(r";[ \t]*$", source, re.MULTILINE))
    return False


def _lines_of_code(code: str) -> int:
    """Count the lines that are neither blank nor part of a docstring.

    A ``raise`` counts as one line, however long the message that it gives.
    """
    try:
        tree = ast.parse(code)
    except SyntaxError:  # tangle reports it
        return 0
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        line
        for node in ast.walk(tree)
        if isinstance(node, owners) and ast.get_docstring(node, clean=False) is not None
        for line in range(node.body[0].lineno, node.body[0].end_lineno + 1)
    }
    messages = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
        for line in range(node.lineno + 1, node.end_lineno + 1)
    }
    return sum(
        bool(line.strip()) and number not in docstrings | messages
        for number, line in enumerate(code.split("\n"), start=1)
    )


def _texts(output: NotebookNode) -> Iterator[str]:
    """Yield all texts of an output."""
    if output.output_type == "stream":
        yield output.text
    elif output.output_type == "error":
        yield from (output.ename, output.evalue, *output.traceback)
    else:
        yield from (text for text in output.data.values() if isinstance(text, str))


def _shorten(text: str, most: int = 100) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= most else f"{line[:most]}…"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


# ------------------------------------------------------------------------- the command


def main(arguments: list[str] | None = None) -> int:
    """Check notebooks; 0 when all is well, 1 when there are problems."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "numbers",
        nargs="*",
        type=int,
        metavar="N",
        help="chapters (default: all notebooks)",
    )
    wanted = parser.parse_args(arguments).numbers
    try:
        found = [c for c in chapters() if not wanted or c.number in wanted]
        pages = list(map(Page.read, found if wanted else [*found, *companions()]))
    except (TocError, NotebookError) as error:
        print(error, file=sys.stderr)
        return 1
    problems = [problem for page in pages for problem in lint(page)]
    problems += unique_figures(pages)
    cells.report(problems)
    for page in pages:
        print(f"{page.chapter}: {count_words(page)} words")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())

"""Run checks on one package, in a process of its own, and write down what comes out.

    python tools/grading_worker.py JOB.json

`tools/grading.py` starts it with the package first on the path. The job names the tests
(``ids``: modules or single tests), those to leave out (``without``), the modules that
must be importable (``modules``), a time limit for one check in seconds (``limit``), and
the file for the results (``results``): one line of JSON per check, written at once, so
that what was found is not lost if the reader's code never comes back.
"""

import importlib
import json
import re
import sys
import traceback
from pathlib import Path

import pytest

IMPORT = "import"
LAST_WORDS = 3  # lines of an assertion
MANY_TIMEOUTS = 2


class Recorder:
    """The pytest plugin: writes a line for each check."""

    def __init__(self, results: Path, without: set[str]):
        self.stream = results.open("w", encoding="utf-8")
        self.without, self.timeouts, self.words = without, 0, {}

    def write(self, ident: str, outcome: str, words: str = "", message: str = ""):
        """Write one line and see that it reaches the file."""
        line = {"id": ident, "outcome": outcome, "words": words, "message": message}
        self.stream.write(json.dumps(line) + "\n")
        self.stream.flush()

    def pytest_configure(self, config) -> None:
        """Know the mark that words a property."""
        config.addinivalue_line("markers", "says(words): the property in words")

    def pytest_collection_modifyitems(self, items) -> None:
        """Leave out what the job says, and find words for the rest."""
        items[:] = [
            item
            for item in items
            if item.nodeid not in self.without
            and item.nodeid.partition("::")[0] not in self.without
        ]
        self.words = {item.nodeid: words_for(item) for item in items}

    def pytest_collectreport(self, report) -> None:
        """A module that cannot be collected is a check that fails."""
        if report.failed:
            name = report.nodeid or IMPORT
            self.write(name, "failed", "the tests can begin", last_words(report))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Say what is being tried, in case it never ends."""
        self.write(nodeid, "begun", self.words.get(nodeid, ""))

    def pytest_runtest_logreport(self, report) -> None:
        """Write the outcome of the call, or of a set-up that failed."""
        if report.when != "call" and report.passed:
            return
        message = last_words(report) if report.failed else ""
        words = self.words.get(report.nodeid, "")
        self.write(report.nodeid, report.outcome, words, message)
        self.timeouts += "Timeout" in message

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item) -> None:
        """Stop where the reader's code seems to run for ever."""
        if self.timeouts >= MANY_TIMEOUTS:
            item.session.shouldstop = "several checks did not come to an end"


def words_for(item) -> str:
    """A property in words: the mark `says`, a row's statement, or the test's name."""
    given = item.callspec.params if hasattr(item, "callspec") else {}
    mark = item.get_closest_marker("says")
    if mark:
        return mark.args[0].format(**given)
    if "row" in given and hasattr(given["row"], "says"):
        return given["row"].says
    name = re.sub(r"^test_", "", item.name.partition("[")[0]).replace("_", " ")
    case = item.callspec.id if given else ""
    return f"{name} ({case[:70]})" if case else name


def last_words(report) -> str:
    """The end of what pytest says of a failure, without its marks."""
    text = report.longreprtext
    if "Failed: Timeout" in text:
        return "Timeout: it did not come to an end; is there a loop that never does?"
    lines = [line[1:].strip() for line in text.splitlines() if line[:2] in ("E ", "E")]
    lines = [line for line in lines if line] or text.strip().splitlines()[-1:]
    first = re.sub(r"^AssertionError: ", "", lines[0]) if lines else ""
    where = [line for line in lines[1:] if not line.startswith("+")]
    return "\n".join([first, *where[: LAST_WORDS - 1]])


def imports(modules: list[str]) -> str:
    """Import what the package consists of; return what went wrong."""
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            place = next((f for f in reversed(frames) if "minigrad" in f.filename), 0)
            line = f", at `{place.line}`" if place else ""
            return f"{name} cannot be imported: {type(error).__name__}: {error}{line}"
    return ""


def main(path: str) -> int:
    """Do one job."""
    job = json.loads(Path(path).read_text(encoding="utf-8"))
    recorder = Recorder(Path(job["results"]), set(job["without"]))
    recorder.write(IMPORT, "begun", "the package can be imported")
    problem = imports(job["modules"])
    import minigrad

    home = Path(minigrad.__file__).resolve().parents[1]
    if home != Path(job["package"]).resolve():
        raise RuntimeError(f"minigrad came from {home}, not from {job['package']}")
    outcome = "failed" if problem else "passed"
    recorder.write(IMPORT, outcome, "the package can be imported", problem)
    if not problem and job["ids"]:
        options = ["-q", "-p", "no:cacheprovider", "--noconftest", "-p", "no:randomly"]
        options += ["--continue-on-collection-errors", "--import-mode=append"]
        options += [
            "--tb=short",
            f"--maxfail={job['most']}",
            "-o",
            "addopts=",
            "-p",
            "no:nbval",
        ]
        options += [f"--timeout={job['limit']}", f"--rootdir={job['root']}"]
        pytest.main([*options, *job["ids"]], plugins=[recorder])
    recorder.write("end", "passed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""Give the troubleshooting page its script: paste a message, get what fits."""

from sphinx.application import Sphinx

PAGE = "book/troubleshooting"


def script(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Load the script on that page only."""
    if page == PAGE:
        app.add_js_file("troubles.js", loading_method="defer")


def setup(app: Sphinx) -> dict:
    """Register the script."""
    app.connect("html-page-context", script)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

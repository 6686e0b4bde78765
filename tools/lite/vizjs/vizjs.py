"""Graphviz in the browser: viz-js, which is Graphviz compiled to WebAssembly.

The first cell of a notebook in JupyterLite awaits `prepare`. From then on `draw`
answers at once, and so does the module ``pygraphviz`` of this wheel, through which
minigrad asks for drawings.
"""

from importlib import resources

FORMATS = ("plain", "dot", "json", "svg", "xdot")
_viz = None


async def prepare() -> bool:
    """Start viz-js; False where it is not part of this site (drawings stay text)."""
    global _viz
    script = resources.files("vizjs_files") / "viz-global.js"
    if _viz is None and script.is_file():
        from pyodide.code import run_js

        # The script looks for a module system before it takes the global scope.
        source = script.read_text(encoding="utf-8")
        wrapped = "(function (exports, module, define) {%s}).call(globalThis)"
        run_js(wrapped % (source + "\n"))
        _viz = await run_js("(globalThis.Viz ?? self.Viz).instance()")
    return _viz is not None


def draw(source: str, form: str = "svg") -> bytes:
    """Lay out and draw DOT text."""
    if _viz is None:
        raise RuntimeError("no Graphviz here: await vizjs.prepare() first")
    if form not in FORMATS:
        raise RuntimeError(f"in the browser Graphviz writes {FORMATS}, not {form!r}")
    from pyodide.ffi import to_js

    options = to_js({"format": form}, dict_converter=_object())
    return _viz.renderString(source, options).encode()


def _object():
    from js import Object

    return Object.fromEntries

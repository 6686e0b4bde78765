# Generated from chapter 6 (book/ch06-graph.ipynb): edit the chapter, not this.
"""The player: a backward pass over a graph, step by step.

`walk` makes the pass and notes each step. It runs every node on a copy whose links
lead to empty mailboxes, so that the graph, what it has saved and every ``.grad`` stay
as they are. `Player` shows the steps: as a drawing with buttons where scripts run,
and as a numbered list everywhere.
"""

import html
import inspect
import json
import linecache
import re
from collections import Counter, defaultdict
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from minigrad.tensor import AccumulateGrad, Node, Tensor
from minigrad.utils.drawing import Plan, as_list, brief, leaf_key, svg


@dataclass
class Sent:
    """A cotangent that a node has sent to the maker of its operand number ``k``."""

    k: int
    node: Node
    g: np.ndarray
    total: np.ndarray | None = None  # of all that has arrived there so far
    left: int = 0  # how many are still to come


@dataclass
class Step:
    """One node has run: what had arrived there, and what it sent."""

    node: Node
    g: np.ndarray
    sent: list[Sent]


@dataclass
class Walk:
    """A whole pass: where it began and with what, its steps, what arrives where."""

    root: Node
    start: np.ndarray
    uses: Counter  # for each node: how many cotangents arrive there
    steps: list[Step]
    totals: dict[Node, np.ndarray]

    @property
    def mailboxes(self) -> list[Node]:
        """The leaves' nodes, in the order in which something first arrived."""
        return [node for node in self.totals if isinstance(node, AccumulateGrad)]


def count_uses(root: Node) -> Counter:
    """Count for each node the cotangents that arrive there in a pass from ``root``."""
    uses, stack = Counter({root: 1}), [root]
    while stack:
        for node, _ in stack.pop().next_functions:
            if node is not None:
                if node not in uses:
                    stack.append(node)
                uses[node] += 1
    return uses


def run(node: Node, g: np.ndarray) -> list[Sent]:
    """Run a copy of a node; return what it sends, in the order in which it does."""
    worker, numbers, full = copy(node), {}, []
    worker.g, worker.hooks = g, None
    for k, link in enumerate(node.links):
        if getattr(node, link) is not None:
            mailbox = Node()
            mailbox.g, mailbox.uses = None, 1
            setattr(worker, link, mailbox)
            numbers[mailbox] = k
    worker.step(full, True)
    return [
        Sent(k, getattr(node, node.links[k]), mailbox.g)
        for mailbox in full
        for k in [numbers[mailbox]]
    ]


def walk(root: Node, start: np.ndarray) -> Walk:
    """Walk back from ``root``: each node runs once, when all has arrived there."""
    uses = count_uses(root)
    left, totals, ready, steps = Counter(uses), {root: start}, [root], []
    with np.errstate(all="ignore"):
        while ready:
            node = ready.pop()
            if isinstance(node, AccumulateGrad):
                continue
            step = Step(node, totals[node], run(node, totals[node]))
            for sent in step.sent:
                before = totals.get(sent.node)
                totals[sent.node] = sent.g if before is None else before + sent.g
                left[sent.node] -= 1
                sent.total, sent.left = totals[sent.node], left[sent.node]
                if not sent.left:
                    ready.append(sent.node)
            steps.append(step)
    return Walk(root, start, uses, steps, totals)


def formula(rule) -> str:
    """Return the text of a rule: of a ``lambda``, what stands behind its colon."""
    code = rule.__code__
    places = [p for p in code.co_positions() if None not in p and p[::2] < p[1::2]]
    lines = linecache.getlines(code.co_filename)
    if rule.__name__ != "<lambda>" or not places or not lines:
        return f"{rule.__name__}{inspect.signature(rule)}"
    top, start = min((place[0], place[2]) for place in places)
    bottom, end = max((place[1], place[3]) for place in places)
    rows = [line.encode() for line in lines[top - 1 : bottom]]
    rows[-1] = rows[-1][:end]
    rows[0] = rows[0][start:]
    return " ".join(row.decode().strip() for row in rows)


def filled(text: str, values: dict) -> str:
    """Return a formula with numbers in place of names; empty if there are too many."""
    if text in values or any(np.size(value) > 4 for value in values.values()):
        return ""

    def number(match: re.Match) -> str:
        if match[0] not in values:
            return match[0]
        value = values[match[0]]
        if not isinstance(value, (np.ndarray, np.generic, int, float)):
            return repr(value)
        shown = brief(value, most=4)
        return f"({shown})" if shown.startswith("-") else shown

    return re.sub(r"(?<![\w.])[a-z_]\w*", number, text)


def reckoning(step: Step, sent: Sent) -> str:
    """Tell how a cotangent was computed: the rule, with numbers, and the result."""
    result = f"`{brief(sent.g, most=6)}`"
    primitive = getattr(step.node, "primitive", None)
    if primitive is None:
        return result
    name, rule = [*primitive.rules.items()][sent.k]
    values = {need: getattr(step.node, need) for need in primitive.needs[name]}
    with np.errstate(all="ignore"):
        raw = rule(step.g, *values.values())
    text = formula(rule)
    parts = [text, filled(text, {"g": step.g, **values}), brief(raw, most=6)]
    way = " = ".join(f"`{part}`" for part in dict.fromkeys(parts) if part)
    if raw.shape != sent.g.shape:
        way += f", summed over the copies: {result}"
    return way


def tell(walk: Walk, names: dict[Node, str]) -> list[list[str]]:
    """Tell a pass: for each frame a heading, then sentences; code is in `backticks`.

    The first frame is the start, the last the delivery; between them are the steps.
    """

    def title(node: Node) -> str:
        name = node.name().rpartition(":")[2]  # PyTorch's torch::autograd::
        return f"{name} ({names[node]})" if node in names else name

    told = [[f"Start: {title(walk.root)} is given `g = {brief(walk.start, 6)}`"]]
    for step in walk.steps:
        told.append([f"{title(step.node)} runs with `g = {brief(step.g, 6)}`"])
        for sent in step.sent:
            text = f"To {title(sent.node)}: {reckoning(step, sent)}"
            if walk.uses[sent.node] > 1:
                text += f"; the sum there is `{brief(sent.total, 6)}`, "
                text += f"{sent.left} still to come" if sent.left else "complete"
            told[-1].append(f"{text}.")
    return [*told, ["Delivery: the sums go to the leaves", *_deliver(walk, names)]]


def _deliver(walk: Walk, names: dict[Node, str]) -> list[str]:
    """Tell what each leaf receives."""
    text = []
    for node in walk.mailboxes:
        name, before = f"{names.get(node, 'leaf')}.grad", node.variable._grad
        total = walk.totals[node]
        news = f"`{name}` becomes `{brief(total, 6)}`."
        if before is not None:
            after = brief(before._array + total, 6)
            news = f"`{name}` grows by `{brief(total, 6)}` to `{after}`."
        text.append(news)
    return text


def marks(walk: Walk, plan: Plan) -> list[dict]:
    """Return for each frame what the drawing shows, by the keys of its shapes.

    "now" are the shapes at work, "send" the texts beside lines, "sum" the texts in
    shapes that change.
    """
    lines, root = defaultdict(list), plan.keys[walk.root]
    for number, line in enumerate(plan.lines):
        lines[line.tail, line.head].append(number)
    found = [{"now": [root], "sum": {root: brief(walk.start)}}]
    for step in walk.steps:
        tail, free = plan.keys[step.node], {pair: iter(n) for pair, n in lines.items()}
        mark = {"now": [tail], "send": {}, "sum": {}}
        for sent in sorted(step.sent, key=lambda sent: sent.k):
            line = next(free[tail, plan.keys[sent.node]])
            mark["send"][line] = brief(sent.g)
        for sent in step.sent:
            uses = walk.uses[sent.node]
            count = f" ({uses - sent.left} of {uses})" if sent.left else ""
            mark["sum"][plan.keys[sent.node]] = brief(sent.total) + count
        found.append(mark)
    ends = {plan.keys[node]: brief(walk.totals[node]) for node in walk.mailboxes}
    last = {lines[key, leaf_key(key)][0]: text for key, text in ends.items()}
    return [*found, {"now": [*ends], "send": last}]


STYLE = """\
.mg-player{container-type:inline-size;--mark:var(--fig-1,#d55e00)}
.mg-player p,.mg-player ul{margin:0 0 .5em;padding:0}
.mg-player ul{padding-left:1.2em}
.mg-player code{background:none;border:0;color:inherit;padding:0;font-size:.9em;
  font-family:var(--bk-mono,var(--jp-code-font-family,monospace));white-space:normal}
.mg-stage{display:grid;gap:.9rem 1.6rem;line-height:1.5;margin-bottom:.6rem}
.mg-stage[hidden]{display:none}
.mg-stage svg{margin:0 auto}
.mg-stage,.mg-player details{font-family:var(--bk-sans,inherit)}
.mg-bar{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;font-size:.95em}
.mg-bar button{background:none;border:1px solid currentColor;border-radius:.4em;
  color:inherit;cursor:pointer;font:inherit;min-height:2.1em;padding:0 .6em}
.mg-bar button[aria-disabled=true]{cursor:default;opacity:.5}
.mg-bar input{accent-color:var(--mark);flex:1 1 60%;margin:.4rem 0}
.mg-bar output{font-variant-numeric:tabular-nums}
.mg-told{margin-top:.8rem}
.mg-told>p,.mg-frames>li>p{font-weight:600}
.mg-player :focus-visible{outline:3px solid var(--mark);outline-offset:2px}
.mg-player summary{cursor:pointer}
"""


STYLE += """\
.mg-player :is(.mg-sum,.mg-label){fill:var(--bk-trap,#c25400);font-weight:600}
.mg-player .mg-label{text-anchor:start;paint-order:stroke;stroke-width:5px;
  stroke:var(--bk-paper,var(--jp-layout-color0,#fff))}
.mg-player g{transition:opacity .25s}
.mg-player .mg-done{opacity:.7}
.mg-player .mg-now[data-key] path{stroke:var(--mark);stroke-width:3.2}
.mg-player .mg-line.mg-sent path{stroke:var(--mark);stroke-width:2.6}
.mg-player .mg-line.mg-sent .mg-head{fill:var(--mark);stroke:none}
@container (min-width:34rem){
  .mg-stage{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}}
@media (prefers-reduced-motion:reduce){.mg-player g{transition:none}}
@media print{.mg-stage{display:none}}
"""


SHOW = """\
const all = (what) => [...player.querySelectorAll(what)];
const told = all(".mg-told")[0], range = all("input")[0], count = all("output")[0];
const frames = all(".mg-frames > li"), lines = all(".mg-line");
const marks = frames.map((frame) => JSON.parse(frame.dataset.marks));
const button = {};
let at = 0, timer = null;
function show(k) {
  at = Math.max(0, Math.min(k, frames.length - 1));
  const sums = Object.assign({}, ...marks.slice(0, at + 1).map((mark) => mark.sum));
  const done = marks.slice(1, at).flatMap((mark) => mark.now), send = marks[at].send;
  for (const shape of all("[data-key]")) {
    const key = shape.dataset.key, sum = shape.querySelector(".mg-sum");
    shape.classList.toggle("mg-now", marks[at].now.includes(key));
    shape.classList.toggle("mg-done", done.includes(key));
    if (sum) sum.textContent = sums[key] ?? "–";
  }
  lines.forEach((line, number) => {
    line.classList.toggle("mg-sent", number in (send ?? {}));
    line.querySelector(".mg-label").textContent = send?.[number] ?? "";
  });
  tell();
}
"""


PLAY = """\
function tell() {
  const last = at === frames.length - 1;
  told.innerHTML = frames[at].innerHTML;
  range.value = at;
  range.setAttribute("aria-valuetext", `Step ${at + 1} of ${frames.length}`);
  count.textContent = `${at + 1} of ${frames.length}`;
  for (const name of ["first", "back"]) button[name].ariaDisabled = at === 0;
  for (const name of ["next", "last"]) button[name].ariaDisabled = last;
}
function play(on) {
  clearInterval(timer);
  timer = on ? setInterval(tick, 1800) : null;
  button.play.textContent = on ? "Pause" : "Play";
  told.ariaLive = on ? "off" : "polite";
}
function tick() {
  if (at === frames.length - 1 || !player.isConnected) play(false);
  else show(at + 1);
}
"""


STEER = """\
const go = {
  first: () => 0, back: () => at - 1, next: () => at + 1, last: () => frames.length,
};
function press(name) {
  if (name !== "play") return play(false), show(go[name]());
  if (!timer && at === frames.length - 1) show(0);
  play(!timer);
}
for (const each of all("button")) {
  const name = each.textContent.toLowerCase();
  button[name] = each;
  each.addEventListener("click", () => press(name));
}
range.addEventListener("input", () => (play(false), show(Number(range.value))));
"""


KEYS = """\
const keys = { ArrowLeft: "back", ArrowUp: "back", ArrowRight: "next",
  ArrowDown: "next", Home: "first", End: "last", " ": "play" };
all(".mg-stage")[0].addEventListener("keydown", (event) => {
  const name = keys[event.key], own = event.target.tagName === "BUTTON";
  if (!name || event.ctrlKey || event.altKey || event.metaKey) return;
  event.stopPropagation();
  if (name === "play" && own) return;  // a space presses the button itself
  event.preventDefault();
  press(name);
});
"""


OPEN = """\
const words = all("details")[0];
let folded = true;
addEventListener("beforeprint", () => ((folded = !words.open), (words.open = true)));
addEventListener("afterprint", () => (words.open = !folded));
function settle() {  // the longest text decides how much room there is for all
  const trial = told.cloneNode();
  trial.ariaLive = "off";
  const width = `${told.clientWidth}px`;
  Object.assign(trial.style, { position: "absolute", visibility: "hidden", width });
  told.after(trial);
  const heights = frames.map((frame) => {
    trial.innerHTML = frame.innerHTML;
    return trial.offsetHeight;
  });
  trial.remove();
  told.style.minHeight = `${Math.max(...heights)}px`;
}
all(".mg-stage")[0].hidden = words.open = false;
show(0);
requestAnimationFrame(settle);
addEventListener("resize", settle);
"""


SCRIPT = f"""\
for (const player of document.querySelectorAll(".mg-player:not([data-ready])")) {{
player.dataset.ready = "yes";
{SHOW}{PLAY}{STEER}{KEYS}{OPEN}}}
"""


BUTTONS = "".join(
    f'<button type="button">{name}</button>\n'
    for name in ("First", "Back", "Play", "Next", "Last")
)
PAGE = """\
<div class="mg-player" data-lm-suppress-shortcuts="true">
<style>
{style}</style>
<div class="mg-stage" role="group" tabindex="-1" hidden
  aria-label="Player of a backward pass">
{svg}
<div><div class="mg-bar">
{buttons}<input type="range" min="0" max="{last}" value="0" aria-label="Step">
<output></output></div>
<div class="mg-told" aria-live="polite" aria-atomic="true"></div></div>
</div>
<details open><summary>All {count} steps in words</summary>
<ol class="mg-frames">
{frames}</ol></details>
<script>
{script}</script>
</div>"""


def _in_html(told: list[str]) -> str:
    """Sentences as HTML: the heading as a paragraph, the others as a list."""
    text = [html.escape(sentence, quote=False) for sentence in told]
    text = [re.sub(r"`(.+?)`", r"<code>\1</code>", sentence) for sentence in text]
    items = "".join(f"<li>{sentence}</li>" for sentence in text[1:])
    return f"<p>{text[0]}</p>" + (f"<ul>{items}</ul>" if items else "")


def page(plan: Plan, told: list[list[str]], shown: list[dict]) -> str:
    """Write the player as a fragment of HTML, with its style and its script."""
    for mark in shown:
        for key, text in mark.get("sum", {}).items():
            plan.shapes[key].room = max(plan.shapes[key].room, len(text))
    try:
        drawn = svg(plan, live=True)
    except RuntimeError as no_graphviz:
        drawn = f"<pre>{html.escape(str(no_graphviz))}</pre>"
    frames = "".join(
        f'<li data-marks="{html.escape(json.dumps(mark))}">{_in_html(text)}</li>\n'
        for text, mark in zip(told, shown, strict=True)
    )
    parts = {"style": STYLE, "svg": drawn, "buttons": BUTTONS, "script": SCRIPT}
    return PAGE.format(last=len(told) - 1, count=len(told), frames=frames, **parts)


class Player:
    """A player of one backward pass; it shows itself in Jupyter."""

    def __init__(self, plan: Plan, walk: Walk, title: str):
        self.plan, self.walk, self.title = plan, walk, title
        self.told = tell(walk, plan.names)

    @cached_property
    def html(self) -> str:
        """The player as a fragment of HTML."""
        return page(self.plan, self.told, marks(self.walk, self.plan))

    def __repr__(self) -> str:
        rows = [f"Backward pass from {self.title}, in {len(self.told)} steps:"]
        for k, (first, *rest) in enumerate(self.told, start=1):
            rows.append(f"{k:3}. {first}")
            rows += [f"     {line}" for line in rest]
        return "\n".join(rows).replace("`", "")

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        label = f'role="img" aria-label="The graph of {html.escape(self.title)}"'
        page = self.html.replace("<svg ", f"<svg {label} ", 1)
        return {"text/html": page, "text/plain": repr(self)}


def cotangent(tensor: Tensor, gradient: Tensor | None) -> np.ndarray:
    """The cotangent to start with, checked as ``backward`` checks it."""
    if tensor._node is None:
        raise RuntimeError(
            "element 0 of tensors does not require grad and does not have a grad_fn: "
            "nothing that led to it was recorded. Set requires_grad on a leaf before "
            "computing with it (Chapter 8)"
        )
    if gradient is None:
        if tensor._array.size != 1:
            raise RuntimeError(
                "grad can be implicitly created only for scalar outputs: this one has "
                f"shape {tuple(tensor.shape)}. Give weights of this shape, "
                "gradient=torch.ones_like(y) (Chapter 7)"
            )
        return np.ones_like(tensor._array)
    as_list(gradient)
    if gradient.shape != tensor.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[0] has a shape of {gradient.shape} and "
            f"output[0] has a shape of {tensor.shape}. Give one weight for each "
            "element, such as torch.ones_like(y) (Chapter 7)"
        )
    return np.array(gradient._array, tensor._array.dtype)

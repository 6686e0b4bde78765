# Generated from chapter 12 (book/ch12-hooks.ipynb): edit the chapter, not this.
"""Anomaly mode: each node knows where it was made, and each step is looked at."""

import traceback
import warnings
from types import SimpleNamespace

from minigrad.autograd import engine, function
from minigrad.autograd.versions import caller
from minigrad.autograd.watch import Hooks, hooks_of, reachable
from minigrad.tensor import Node, Tensor

# for the whole process; ``running``: the node at which each pass under way is
state = SimpleNamespace(enabled=False, check_nan=True, running=[None])


def note(node: Node) -> None:
    """Note at a node where it is made; and by the step of which node, in a pass."""
    if state.enabled:
        node.metadata["traceback_"] = traceback.format_stack(caller())
        if state.running[-1] is not None:
            node.metadata["parent_"] = state.running[-1]


def carry(out: Tensor, node: type[Node], given: tuple, params: dict) -> Tensor:
    """Note where a result was made; then go on as without."""
    if out._node is not None:
        note(out._node)
    return state.apart[0](out, node, given, params)


class Guard(Hooks):
    """The hooks of a node in anomaly mode: where the pass is, is on record."""

    __slots__ = ()

    def arrive(self, node: Node) -> None:
        """The pass is at this node now."""
        state.running[-1] = node
        super().arrive(node)

    def at(self, moment: str) -> list:
        """The hooks to run now; after a step that computes, one more."""
        checked = moment == "after" and not state.running[-1].hands_on
        return super().at(moment) + [refuse_nan] * checked


def refuse_nan(sent: tuple, given: tuple) -> None:
    """Refuse to send what is not a number."""
    for k, g in enumerate(sent):
        if state.check_nan and g is not None and not (g._array == g._array).all():
            raise RuntimeError(
                f"Function '{state.running[-1].name()}' returned nan values in its "
                f"{k}th output. The warning says which line has made the node: keep "
                "its operand away from where the slope is infinite, "
                "x.clamp(min=1e-12) (Chapter 12)"
            )


def propagate(roots: list, *options) -> list[Node]:
    """Run a pass with a guard at every node; say where it was, if it fails."""
    watches = [hooks_of(node) for node in reachable(node for node, _ in roots)]
    before = [(watch, type(watch)) for watch in watches]
    state.running.append(None)
    try:
        for watch in watches:
            watch.__class__ = Guard
        return state.apart[1](roots, *options)
    except Exception:
        report(state.running[-1])
        raise
    finally:
        state.running.pop()
        for watch, kind in before:
            watch.__class__ = kind


state.apart = carry, propagate


def report(node: Node | None) -> None:
    """Warn of where a node was made, and the nodes whose steps it was made in."""
    said, what = "Error detected in", "caused the error"
    while node is not None:
        made, lines = UNKNOWN, node.metadata.get("traceback_")
        if lines:
            made = f"Traceback of forward call that {what}:\n{''.join(lines)}"
        warnings.warn(f"{said} {node.name()}. {made}", UserWarning, stacklevel=4)
        said = "\n\nPrevious calculation was induced by"
        node, what = node.metadata.get("parent_"), "induced the previous calculation"


UNKNOWN = (
    "No forward pass information available. Enable detect anomaly during forward pass "
    "for more information."
)


def switch(enabled: bool, check_nan: bool) -> tuple[bool, bool]:
    """Begin, end or change it; return what was before."""
    if type(enabled) is not bool:
        raise TypeError(
            "set_anomaly_enabled(): argument 'enabled' (position 1) must be bool, not "
            f"{type(enabled).__name__}: write True or False (Chapter 12)"
        )
    before = state.enabled, state.check_nan
    if enabled != state.enabled:
        function.look_twice(1 if enabled else -1)
        there = function.carry, engine._propagate
        (function.carry, engine._propagate), state.apart = state.apart, there
    state.enabled, state.check_nan = enabled, check_nan
    return before


class detect_anomaly:  # noqa: N801 (PyTorch's own spelling, here and below)
    """Look for anomalies in a ``with`` block.

    ``check_nan=False``: nodes note where they are made, and what is no number passes.
    """

    def __init__(self, check_nan: bool = True):
        warnings.warn(SLOW, UserWarning, stacklevel=2)
        self.check_nan = check_nan

    def __enter__(self) -> None:
        self.before = switch(True, self.check_nan)

    def __exit__(self, *failure) -> None:
        switch(*self.before)


class set_detect_anomaly(detect_anomaly):  # noqa: N801
    """Look for anomalies or not: from the call on, or in a ``with`` block."""

    def __init__(self, mode: bool, check_nan: bool = True):
        self.before = switch(mode, check_nan)

    def __enter__(self) -> None:
        pass


def is_anomaly_enabled() -> bool:
    """Whether nodes note where they are made."""
    return state.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Whether a step may not send what is no number, in anomaly mode."""
    return state.check_nan


SLOW = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and "
    "should only be enabled for debugging."
)

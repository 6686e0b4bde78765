"""The gradient modes, against PyTorch's recorded answers and against a model."""

import asyncio
import inspect
import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as torch
import minigrad.autograd.function
from minigrad.autograd.function import set_recording
from minigrad.tensor import mode
from tests.test_leaves import assert_as_recorded, cases


@pytest.fixture(autouse=True)
def mode_as_found():
    """Whatever a program has left, the next one finds recording on."""
    yield
    set_recording(True)
    mode.inference = False


@pytest.mark.parametrize("name", cases("nested", "decorated", "entered", "corner"))
def test_as_pytorch(name):
    assert_as_recorded(name)


def flags():
    """What the functions say, what the thread holds, and what is done: all agree."""
    recording, inference = mode.recording, mode.inference
    assert torch.is_grad_enabled() is recording
    assert torch.is_inference_mode_enabled() is inference
    y = torch.ones(1, requires_grad=True) + 1
    assert y.requires_grad is (recording and not inference)
    assert y.is_inference() is inference
    return recording, inference


# -- any nesting, against a model ------------------------------------------------------

MODES = {
    "no_grad": (torch.no_grad, lambda now: (False, now[1])),
    "enable_grad": (torch.enable_grad, lambda now: (True, now[1])),
    "on": (lambda: torch.set_grad_enabled(True), lambda now: (True, now[1])),
    "off": (lambda: torch.set_grad_enabled(False), lambda now: (False, now[1])),
    "inference": (torch.inference_mode, lambda now: (False, True)),
    "normal": (lambda: torch.inference_mode(False), lambda now: (True, False)),
}
HOW = st.sampled_from(["with", "decorator", "generator", "raise"])
NESTS = st.recursive(
    st.just([]),
    lambda inner: st.lists(
        st.tuples(st.sampled_from(sorted(MODES)), HOW, inner), max_size=3
    ),
    max_leaves=12,
)


def walk(nest, now):
    """Enter and leave modes as the nest says, and compare with the model all along."""
    assert flags() == now
    for name, how, inner in nest:
        make, becomes = MODES[name]
        then = becomes(now)
        if how == "with":
            with make():
                walk(inner, then)
        elif how == "decorator":
            make()(walk)(inner, then)
        elif how == "generator":

            def steps(inner=inner, then=then):
                walk(inner, then)
                yield 1
                walk(inner, then)
                yield 2

            for _ in make()(steps)():
                assert flags() == now
        else:
            with pytest.raises(ZeroDivisionError), make():
                walk(inner, then)
                raise ZeroDivisionError
        assert flags() == now


@settings(max_examples=60, deadline=None)
@given(NESTS)
def test_any_nesting(nest):
    walk(nest, (True, False))


# -- threads ---------------------------------------------------------------------------


def in_thread(function):
    """Run a function in another thread; return its result or raise its error."""
    box = []

    def work():
        try:
            box.append((function(), None))
        except BaseException as error:
            box.append((None, error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(20)
    result, error = box[0]
    if error is not None:
        raise error
    return result


@pytest.mark.parametrize("name", sorted(MODES))
def test_a_new_thread_starts_fresh(name):
    with MODES[name][0]():
        assert in_thread(flags) == (True, False)


@pytest.mark.parametrize("name", sorted(MODES))
def test_what_a_thread_sets_stays_there(name):
    with torch.no_grad():
        in_thread(lambda: MODES[name][0]().__enter__())
        assert flags() == (False, False)


def test_one_decorated_function_in_two_threads_at_once():
    barrier = threading.Barrier(2)
    seen = {}

    @torch.no_grad()
    def meet(who):
        barrier.wait(20)
        seen[who, "inside"] = flags()
        barrier.wait(20)

    def work(who, make):
        with make():
            before = flags()
            meet(who)
            seen[who, "back"] = flags() == before

    other = threading.Thread(target=work, args=("b", torch.enable_grad))
    other.start()
    work("a", torch.no_grad)
    other.join(20)
    assert seen == {
        ("a", "inside"): (False, False),
        ("b", "inside"): (False, False),
        ("a", "back"): True,
        ("b", "back"): True,
    }


def test_recording_goes_on_in_a_thread_while_another_is_off():
    off, done = threading.Event(), threading.Event()

    def idle():
        with torch.no_grad():
            off.set()
            done.wait(20)

    thread = threading.Thread(target=idle)
    thread.start()
    off.wait(20)
    x = torch.tensor(3.0, requires_grad=True)
    (x * x).backward()
    done.set()
    thread.join(20)
    assert x.grad.item() == 6.0


# -- decorators ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["no_grad", "enable_grad", "inference_mode"])
def test_bare_and_called_mean_the_same(name):
    make = getattr(torch, name)

    def look():
        """Look."""
        return flags()

    bare, called = make(look), make()(look)
    assert bare() == called()
    assert bare.__name__ == called.__name__ == "look"
    assert bare.__doc__ == called.__doc__ == "Look."
    assert inspect.signature(bare) == inspect.signature(look)


def test_decorated_at_definition_runs_later():
    with torch.no_grad():
        look = torch.enable_grad()(flags)
    assert look() == (True, False)
    with torch.no_grad():
        assert look() == (True, False)
        assert flags() == (False, False)


def test_a_decorated_generator_is_one():
    @torch.no_grad()
    def count():
        yield 1

    assert inspect.isgenerator(count())


def test_two_generators_take_turns():
    @torch.no_grad()
    def off():
        for _ in range(3):
            yield flags()

    @torch.inference_mode()
    def inference():
        for _ in range(3):
            yield flags()

    for pair in zip(off(), inference(), strict=True):
        assert pair == ((False, False), (False, True))
        assert flags() == (True, False)


def test_errors_pass_through_a_decorated_generator():
    @torch.no_grad()
    def stubborn():
        while True:
            try:
                yield flags()
            except KeyError as error:
                yield error.args[0]

    it = stubborn()
    assert next(it) == (False, False)
    assert it.throw(KeyError("one")) == "one"
    assert flags() == (True, False)
    assert next(it) == (False, False)
    with pytest.raises(ZeroDivisionError):
        it.throw(ZeroDivisionError())
    assert flags() == (True, False)


def test_a_coroutine_is_not_in_the_mode_while_it_waits():
    # as in PyTorch, the mode covers the making of the coroutine, not its run
    @torch.no_grad()
    async def look():
        await asyncio.sleep(0)
        return flags()

    assert asyncio.run(look()) == (True, False)


@pytest.mark.parametrize("name", ["no_grad", "enable_grad", "inference_mode"])
def test_a_value_instead_of_a_function_then_as_advised(name):
    with pytest.raises(TypeError, match=r"torch\.set_grad_enabled\(value\)"):
        getattr(torch, name)(0)
    with torch.set_grad_enabled(False):
        assert flags() == (False, False)


def test_classes_are_warned_of_and_then_as_advised():
    with pytest.warns(FutureWarning, match="decorate the method"):

        @torch.no_grad()
        class Model:
            def __init__(self):
                self.seen = flags()

    assert Model().seen == (False, False)

    class Advised:
        @torch.no_grad()
        def look(self):
            return flags()

    assert Advised().look() == (False, False)


@pytest.mark.parametrize("value", [0, 1, None, "off", torch.tensor(True)])
def test_set_grad_enabled_takes_bools_only(value):
    with pytest.raises(TypeError, match="must be bool"):
        torch.set_grad_enabled(value)
    assert flags() == (True, False)
    with torch.set_grad_enabled(bool(value)):
        assert torch.is_grad_enabled() is bool(value)


# -- with the engine -------------------------------------------------------------------


def test_backward_and_grad_restore_the_mode():
    x = torch.tensor(3.0, requires_grad=True)
    for make, _ in MODES.values():
        with make():
            before = flags()
            y = torch.enable_grad()(torch.inference_mode(False)(lambda: x * x * x))()
            torch.autograd.grad(y, x, create_graph=True)
            assert flags() == before
            with pytest.raises(RuntimeError):
                torch.autograd.grad(y * torch.ones(2), x)
            assert flags() == before


def test_the_fast_path_comes_back():
    """Leaving a mode leaves no reason behind to look twice at every operation."""
    with torch.inference_mode():
        pass
    before = minigrad.autograd.function.special
    for make, _ in MODES.values():
        with make():
            pass
        make()(lambda: None)()
    torch.set_grad_enabled(False)
    torch.set_grad_enabled(True)
    assert minigrad.autograd.function.special == before


def test_any_exception_may_be_thrown_into_a_generator_and_the_mode_is_there():
    @torch.no_grad()
    def numbers():
        try:
            yield 1
        except KeyboardInterrupt:
            yield torch.is_grad_enabled()

    made = numbers()
    assert next(made) == 1
    assert made.throw(KeyboardInterrupt()) is False
    assert torch.is_grad_enabled()


def test_a_generator_that_is_closed_cleans_up_in_its_mode():
    seen = []

    @torch.no_grad()
    def numbers():
        try:
            yield 1
        finally:
            seen.append(torch.is_grad_enabled())

    made = numbers()
    next(made)
    made.close()
    assert seen == [False] and torch.is_grad_enabled()


def test_a_decorated_generator_keeps_its_name():
    @torch.no_grad()
    def count(limit):
        """Count."""
        yield limit

    assert (count.__name__, count.__doc__) == ("count", "Count.")
    assert list(inspect.signature(count).parameters) == ["limit"]


def test_a_fresh_process_has_no_reason_to_look_twice():
    code = "import minigrad.autograd.function as f; print(f.special)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "0"


def test_the_first_inference_mode_of_a_process_is_one_at_once():
    code = """
import minigrad as torch
x = torch.tensor(1.0, requires_grad=True)
z = x * x * x
with torch.inference_mode():
    (g,) = torch.autograd.grad(z, x, create_graph=True)
    print(g.requires_grad, g.is_inference())
    with torch.enable_grad():
        y = x * 2
    print(y.requires_grad, y.is_inference())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"] * 2  # PyTorch's answers

"""Event files, read by TensorBoard's own reader and by its compiled messages.

What PyTorch 2.13 writes for the same calls stands in reference/tensorboard.json (see
reference/record_tensorboard.py).
"""

import errno
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as torch
from minigrad import nn
from minigrad.utils.tensorboard import SummaryWriter
from minigrad.utils.tensorboard.messages import decode, message, varint
from minigrad.utils.tensorboard.records import RecordFile, crc32c, framed, read_records
from minigrad.utils.tensorboard.summary import png
from tests.reference.record_tensorboard import CALLS, RECORDED, told, written

with warnings.catch_warnings():  # of TensorBoard's own, about its dependencies
    warnings.simplefilter("ignore")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.graph_pb2 import GraphDef

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def accumulated(folder) -> EventAccumulator:
    """All that TensorBoard finds in a folder."""
    guidance = dict.fromkeys(("scalars", "histograms", "images", "tensors"), 0)
    return EventAccumulator(str(folder), guidance).Reload()


def graph_in(folder) -> dict:
    """The nodes of the graph in a folder, by name."""
    return {node.name: node for node in accumulated(folder).Graph().node}


# ------------------------------------------------------------------------- records


def test_crc32c_of_the_nine_digits_and_of_zeros():
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA  # RFC 3720, B.4
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E


def test_wherever_a_file_is_cut_the_records_before_are_read(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        for step in range(4):
            writer.add_scalar("loss", 1 / (1 + step), step)
        writer.add_text("note", "the end")
    (file,) = tmp_path.iterdir()
    data, payloads = file.read_bytes(), list(read_records(file))
    ends = np.cumsum([len(framed(p)) for p in payloads])
    assert ends[-1] == len(data)
    for cut in range(len(data)):
        file.write_bytes(data[:cut])
        whole = payloads[: int((ends <= cut).sum())]
        assert list(read_records(file)) == whole
        theirs = [e.step for e in EventFileLoader(str(file)).Load()]
        assert theirs == [decode(p).get(2, [0])[0] for p in whole]


def test_a_changed_byte_ends_the_reading(tmp_path):
    file = tmp_path / "records"
    payloads = [b"one", b"two", b"three"]
    data = b"".join(map(framed, payloads))
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 16
        file.write_bytes(changed)
        before = (place >= 19) + (place >= 38)
        assert list(read_records(file)) == payloads[:before]


@pytest.mark.parametrize("torn", [0, 1, 11, 12, 20])
def test_a_failed_write_leaves_the_file_as_it_was(tmp_path, torn):
    records = RecordFile(tmp_path / "records")
    records.append(b"before")
    disk, room = records._file, [torn]

    class Full:
        """A disk with room for a few bytes more."""

        def write(self, data):
            if not room[0]:
                raise OSError(errno.ENOSPC, "No space left on device")
            fits = disk.write(data[: room[0]])
            room[0] -= fits
            return fits

        def __getattr__(self, name):
            return getattr(disk, name)

    records._file = Full()
    with pytest.raises(OSError, match="No space"):
        records.append(b"x" * 100)
    records._file = disk
    assert records.path.read_bytes() == framed(b"before")
    records.append(b"after")
    records.close()
    assert list(read_records(records.path)) == [b"before", b"after"]


def test_short_writes_are_continued(tmp_path):
    records = RecordFile(tmp_path / "records")
    disk = records._file

    class Slow:
        def write(self, data):
            return disk.write(data[:7])

        def __getattr__(self, name):
            return getattr(disk, name)

    records._file = Slow()
    records.append(b"a long record, piece by piece")
    disk.close()
    assert list(read_records(records.path)) == [b"a long record, piece by piece"]


def test_an_existing_file_is_not_overwritten(tmp_path):
    (tmp_path / "records").write_bytes(b"of somebody else")
    with pytest.raises(FileExistsError):
        RecordFile(tmp_path / "records")
    assert (tmp_path / "records").read_bytes() == b"of somebody else"


KILLED = """
import sys
from minigrad.utils.tensorboard import SummaryWriter
writer = SummaryWriter(sys.argv[1])
for step in range(10**9):
    writer.add_scalar("loss", step, step)
    print(step, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_killed_process_loses_nothing_that_was_added(tmp_path):
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if int(line) > 200:
            break
    process.send_signal(signal.SIGKILL)
    said = [line, *process.stdout.read().splitlines()]
    last = max(int(line) for line in said[:2])
    process.wait()
    process.stdout.close()
    steps = [s.step for s in accumulated(tmp_path).Scalars("loss")]
    assert steps == list(range(len(steps)))
    assert len(steps) > last


def test_threads_do_not_write_into_each_others_records(tmp_path):
    with SummaryWriter(tmp_path) as writer:

        def work(name):
            for step in range(200):
                writer.add_scalar(name, step, step)

        threads = [threading.Thread(target=work, args=(n,)) for n in "abcd"]
        [t.start() for t in threads]
        [t.join() for t in threads]
    found = accumulated(tmp_path)
    for name in "abcd":
        assert [s.value for s in found.Scalars(name)] == list(range(200))


# ------------------------------------------------------------------------ messages


@given(st.integers(-(2**63), 2**64 - 1))
def test_varints_are_those_of_the_compiled_messages(n):
    theirs = Event(step=n if n < 2**63 else n - 2**64).SerializeToString()
    assert b"\x10" + varint(n) == (theirs or b"\x10\x00")
    assert decode(message({2: n})) == {2: [n % 2**64]}


@given(st.floats(allow_nan=False), st.integers(-(2**63), 2**63 - 1), st.text())
def test_the_compiled_messages_read_ours_and_we_read_theirs(wall, step, text):
    event = Event.FromString(message({1: wall, 2: step, 3: text}))
    assert (event.wall_time, event.step, event.file_version) == (wall, step, text)
    fields = decode(event.SerializeToString())
    assert fields.get(3, [b""])[0].decode() == text


# ----------------------------------------------------------- what TensorBoard reads


def test_scalars_come_back(tmp_path):
    values = [0.1, torch.tensor([[2.5]], requires_grad=True), np.float32(3), 4, True]
    with SummaryWriter(tmp_path) as writer:
        for step, value in enumerate(values):
            writer.add_scalar("a/b c", value, step * 10, walltime=100.5 + step)
    found = accumulated(tmp_path).Scalars("a/b c")
    assert [s.step for s in found] == [0, 10, 20, 30, 40]
    assert [s.wall_time for s in found] == [100.5, 101.5, 102.5, 103.5, 104.5]
    assert [s.value for s in found] == [np.float32(0.1), 2.5, 3, 4, 1]


def test_zero_is_a_value(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", 0.0, 0)
    assert [s.value for s in accumulated(tmp_path).Scalars("loss")] == [0.0]


def test_scalars_of_several_curves_have_folders_of_their_own(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalars("loss/all", {"train": 1.0, "test": 2.0}, 3)
    for name, value in (("train", 1.0), ("test", 2.0)):
        (found,) = accumulated(tmp_path / f"loss_all_{name}").Scalars("loss/all")
        assert (found.step, found.value) == (3, value)


def test_a_histogram_comes_back(tmp_path):
    torch.manual_seed(0)
    values = torch.randn(1000) * 3
    with SummaryWriter(tmp_path) as writer:
        writer.add_histogram("h", values, 5)
    (found,) = accumulated(tmp_path).Histograms("h")
    histogram, x = found.histogram_value, values.numpy().astype(float)
    assert (found.step, histogram.num) == (5, 1000)
    assert (histogram.min, histogram.max) == (x.min(), x.max())
    np.testing.assert_allclose([histogram.sum, histogram.sum_squares], [x.sum(), x @ x])
    limits = np.array(histogram.bucket_limit)
    below = [(x < limit).sum() for limit in limits]
    assert np.cumsum(histogram.bucket).tolist() == [*below[:-1], 1000]


def test_an_image_comes_back(tmp_path):
    from PIL import Image

    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (5, 7, 3), dtype=np.uint8)
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("bytes", pixels, 1, dataformats="HWC")
        writer.add_image("floats", torch.tensor(pixels.transpose(2, 0, 1) / 255), 1)
        writer.add_image("grey", pixels[:, :, 0], 1, dataformats="HW")
    found = accumulated(tmp_path)
    for tag, right in (("bytes", pixels), ("grey", pixels[:, :, :1].repeat(3, 2))):
        (image,) = found.Images(tag)
        read = np.array(Image.open(io.BytesIO(image.encoded_image_string)))
        assert (image.height, image.width) == (5, 7)
        assert (read == right).all()
    (image,) = found.Images("floats")
    read = np.array(Image.open(io.BytesIO(image.encoded_image_string)))
    assert abs(read.astype(int) - pixels).max() <= 1


@pytest.mark.parametrize(("channels", "mode"), [(1, "L"), (2, "LA"), (4, "RGBA")])
def test_png_of_other_colours(channels, mode):
    from PIL import Image

    pixels = np.arange(6 * channels, dtype=np.uint8).reshape(2, 3, channels)
    read = Image.open(io.BytesIO(png(pixels)))
    assert read.mode == mode
    assert (np.array(read).reshape(pixels.shape) == pixels).all()


def test_a_text_comes_back(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_text("note", "**Grüße**, 梯度", 2)
    found = accumulated(tmp_path)
    (text,) = found.Tensors("note/text_summary")
    assert text.tensor_proto.string_val[0].decode() == "**Grüße**, 梯度"
    plugin = found.SummaryMetadata("note/text_summary").plugin_data.plugin_name
    assert plugin == "text"


def test_purge_step_hides_what_came_after_the_checkpoint(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        for step in range(5):
            writer.add_scalar("loss", 100 + step, step)
    time.sleep(1.1)  # files are read in order of the seconds in their names
    with SummaryWriter(tmp_path, purge_step=3) as writer:
        for step in range(3, 6):
            writer.add_scalar("loss", step, step)
    found = accumulated(tmp_path).Scalars("loss")
    assert [s.value for s in found] == [100, 101, 102, 3, 4, 5]


def test_two_runs_in_one_folder_are_one_curve(tmp_path):
    for start in (0, 1):
        with SummaryWriter(tmp_path) as writer:
            for step in range(start, start + 3):
                writer.add_scalar("loss", 1.0, step)
        time.sleep(1.1 * (1 - start))
    found = accumulated(tmp_path).Scalars("loss")
    assert [s.step for s in found] == [0, 1, 2, 1, 2, 3]


def test_after_close_a_new_file_is_begun(tmp_path):
    writer = SummaryWriter(tmp_path, filename_suffix=".more")
    writer.close()
    writer.close()
    writer.add_scalar("loss", 1.0, 0)
    writer.flush()
    names = sorted(p.name for p in tmp_path.iterdir())
    assert len(names) == 2
    assert all(n.startswith("events.out.tfevents.") for n in names)
    assert all(n.endswith(".more") for n in names)
    writer.close()


def test_the_default_folder_and_its_comment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with SummaryWriter(comment="_lr2") as writer:
        assert writer.get_logdir() == writer.log_dir
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.endswith("_lr2")


def test_the_file_is_closed_when_the_block_fails(tmp_path):
    with pytest.raises(ZeroDivisionError), SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", 1.0, 0)
        1 / 0  # noqa: B018
    assert writer._logs[""].file is None
    assert len(accumulated(tmp_path).Scalars("loss")) == 1


# -------------------------------------------------------------------------- graphs


def sizes(node) -> list | None:
    """The shape of a node's result, as it is told."""
    if "_output_shapes" not in node.attr:
        return None
    (shape,) = node.attr["_output_shapes"].list.shape
    return [d.size for d in shape.dim]


def test_the_graph_of_a_model_is_parsed(tmp_path):
    model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(model, torch.ones(4, 2))
    nodes = graph_in(tmp_path)
    edges = {name: list(node.input) for name, node in nodes.items() if node.input}
    assert edges == {
        "0/AddmmBackward0": ["0/bias", "input", "0/weight"],
        "1/TanhBackward0": ["0/AddmmBackward0"],
        "2/AddmmBackward0": ["2/bias", "1/TanhBackward0", "2/weight"],
        "output": ["2/AddmmBackward0"],
    }
    assert {n.op for n in nodes.values()} == {
        *("Leaf", "AddmmBackward0", "TanhBackward0", "Output")
    }
    shapes = {name: sizes(node) for name, node in nodes.items()}
    assert shapes["input"] == [4, 2] and shapes["0/weight"] == [8, 2]
    assert shapes["0/AddmmBackward0"] == shapes["1/TanhBackward0"] == [4, 8]
    assert shapes["output"] == [4, 1]


class Halves(torch.autograd.Function):
    """One node with two results."""

    @staticmethod
    def forward(ctx, x):
        return x / 2, x / 2

    @staticmethod
    def backward(ctx, g, h):
        return g / 2 + h / 2


def test_the_graph_is_the_one_of_next_functions(tmp_path):
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(3, 3)
            self.scale = nn.Parameter(torch.ones(()))

        def forward(self, x, y):
            a, b = self.inner(x), self.inner(x * y)
            first, second = Halves.apply(a * self.scale)
            return {"sum": first.sum() + second.sum(), "b": [b]}

    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(Twice(), (torch.ones(2, 3), torch.ones(2, 3)))
    nodes = graph_in(tmp_path)
    assert len([n for n in nodes if n.startswith("inner/AddmmBackward0")]) == 2
    outside = [n for n in nodes if "/" not in n]
    assert {"MulBackward0", "MulBackward0_1"} <= {*outside}  # x * y, a * scale
    assert {"input", "input_1", "scale", "output", "output_1"} <= {*outside}
    assert all(i.split(":")[0] in nodes for n in nodes.values() for i in n.input)
    chunks = [i for n in nodes.values() for i in n.input if i.endswith(":1")]
    assert chunks == ["HalvesBackward:1"]


def test_the_graph_behind_a_tensor(tmp_path):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph((x * x).sum())
    nodes = graph_in(tmp_path)
    assert list(nodes) == ["Leaf", "MulBackward0", "SumBackward0", "output"]
    assert list(nodes["MulBackward0"].input) == ["Leaf", "Leaf"]
    assert list(nodes["SumBackward0"].input) == ["MulBackward0"]


def test_nothing_of_the_model_is_changed(tmp_path):
    model, x = nn.Linear(2, 1), torch.ones(3, 2)
    model.weight.grad = torch.full((1, 2), 7.0)
    with SummaryWriter(tmp_path) as writer, torch.no_grad():
        writer.add_graph(model, x)
    assert (model.weight.grad.numpy() == 7).all() and model.bias.grad is None
    assert not x.requires_grad and not model._forward_hooks
    with SummaryWriter(tmp_path) as writer, pytest.raises(RuntimeError):
        writer.add_graph(model, torch.ones(3, 5))
    assert not model._forward_hooks


def test_a_long_graph_is_no_matter_of_depth(tmp_path):
    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(5000):
        y = y + 1
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(y)
    assert len(graph_in(tmp_path)) == 5002


def test_verbose_prints_the_nodes(tmp_path, capsys):
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(nn.Linear(2, 1), torch.ones(1, 2), verbose=True)
    said = capsys.readouterr().out
    assert "AddmmBackward0 = AddmmBackward0(bias, input, weight)" in said


def test_a_graph_is_what_the_compiled_message_makes_of_it_too(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(nn.Linear(2, 1), torch.ones(1, 2))
    (file,) = tmp_path.iterdir()
    payload = decode(list(read_records(file))[1])[4][0]
    graph = GraphDef.FromString(payload)
    assert graph.versions.producer == 22
    # maps are written key first, and nothing is left over
    assert len(graph.SerializeToString(deterministic=True)) == len(payload)


# ------------------------------------------------------------------- beside PyTorch

ANSWERS = json.loads(RECORDED.read_text(encoding="utf-8"))


def test_every_call_has_an_answer():
    assert set(CALLS) == set(ANSWERS)


@pytest.mark.parametrize("call", CALLS)
def test_it_writes_what_pytorch_writes(call, tmp_path):
    found = told(written(call, torch, SummaryWriter, tmp_path))
    assert found.keys() == ANSWERS[call].keys()
    for name, right in ANSWERS[call].items():
        if isinstance(right, list) and right and isinstance(right[0], float):
            np.testing.assert_allclose(found[name], right, rtol=1e-5, atol=1e-6)
        else:
            assert found[name] == right

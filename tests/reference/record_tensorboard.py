"""Record what PyTorch's SummaryWriter writes.

Run at the root of the repository, with a Python that has PyTorch and TensorBoard:

    python -m tests.reference.record_tensorboard

Each call below is made on a writer, and the event that it leaves behind is read with
TensorBoard's compiled messages. The tests make the same calls on minigrad.
"""

import io
import json
import tempfile
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).with_name("tensorboard.json")
SPREAD = "torch.arange(-40.0, 60.0) ** 3 / 7"
PIXELS = "torch.arange(24.0).reshape(2, 3, 4) / 20"
CALLS = [
    "w.add_scalar('loss', 0.1, 3)",
    "w.add_scalar('a b/c:d', torch.tensor([[2.5]]), 4)",
    "w.add_scalar('/x', np.float64(1e300), -1)",
    "w.add_scalar('x', True)",
    "w.add_scalar('x', float('nan'), 1.7)",
    f"w.add_histogram('h', {SPREAD}, 1)",
    f"w.add_histogram('h', {SPREAD}, 1, max_bins=50)",
    f"w.add_histogram('h', {SPREAD}, 1, max_bins=49)",
    f"w.add_histogram('h', {SPREAD}, 1, bins=7)",
    f"w.add_histogram('h', {SPREAD}, 1, bins=7, max_bins=3)",
    f"w.add_histogram('h', {SPREAD}, 1, bins='auto')",
    f"w.add_histogram('h', ({SPREAD}).numpy(), 1, bins=[-5.0, 0.0, 1.0, 9.0])",
    "w.add_histogram('h', torch.zeros(3), 1)",
    "w.add_histogram('h', torch.tensor([-1e-13, 1e-13, 1e-12]), 1)",
    "w.add_histogram('h', torch.tensor([1.0, float('inf'), 3.0]), 1)",
    "w.add_histogram('h', torch.tensor([True, False, True]), 1, bins=2)",
    "w.add_histogram('h', torch.arange(12).reshape(3, 4), 1)",
    f"w.add_image('i', ({PIXELS})[:1], 2)",
    f"w.add_image('i', ({PIXELS}).repeat(3, 1, 1)[:3], 2)",
    f"w.add_image('i', ({PIXELS}).repeat(2, 1, 1), 2)",
    f"w.add_image('i', {PIXELS}, 2)",
    f"w.add_image('i', ({PIXELS})[0], 2, dataformats='HW')",
    f"w.add_image('i', ({PIXELS})[0], 2, dataformats='wh')",
    f"w.add_image('i', {PIXELS}, 2, dataformats='HWC')",
    f"w.add_image('i', {PIXELS}, 2, dataformats='WHC')",
    f"w.add_image('i', {PIXELS} - 0.5, 2)",
    "w.add_image('i', torch.arange(24, dtype=torch.uint8).reshape(1, 4, 6) * 10, 2)",
    "w.add_image('i', torch.arange(6).reshape(1, 2, 3), 2)",
    "w.add_image('i', torch.arange(6).reshape(1, 2, 3) > 2, 2)",
    "w.add_text('t', '**a** Grüße', 5)",
    "w.add_text('t', '')",
]


def written(call: str, torch, writer, folder):
    """Make a call; return the event that it has written, read by TensorBoard."""
    from tensorboard.backend.event_processing.event_file_loader import (
        RawEventFileLoader,
    )
    from tensorboard.compat.proto.event_pb2 import Event

    with writer(str(folder)) as w:
        exec(call, {"torch": torch, "np": np, "w": w})
    (file,) = Path(folder).iterdir()
    events = [Event.FromString(raw) for raw in RawEventFileLoader(str(file)).Load()]
    assert events[0].file_version == "brain.Event:2"
    assert len(events) == 2
    return events[1]


def told(event) -> dict:
    """What an event says, in terms of JSON; numbers as lists of floats."""
    (value,) = event.summary.value
    kind = value.WhichOneof("value")
    found = {"step": event.step, "tag": value.tag, "kind": kind}
    if kind == "simple_value":
        found["value"] = [value.simple_value]
    elif kind == "histo":
        histogram = value.histo
        for name in ("min", "max", "num", "sum", "sum_squares"):
            found[name] = [getattr(histogram, name)]
        found["limits"] = list(histogram.bucket_limit)
        found["counts"] = list(histogram.bucket)
    elif kind == "image":
        from PIL import Image

        picture = value.image
        found["size"] = [picture.height, picture.width, picture.colorspace]
        pixels = Image.open(io.BytesIO(picture.encoded_image_string))
        found |= {"mode": pixels.mode, "pixels": np.array(pixels).tolist()}
    else:
        tensor = value.tensor
        found["strings"] = [text.decode() for text in tensor.string_val]
        found["shape"] = [d.size for d in tensor.tensor_shape.dim]
        found["dtype"] = tensor.dtype
        found["plugin"] = value.metadata.plugin_data.plugin_name
    return found


def main() -> None:
    """Make all calls on PyTorch's writer, and store what they write."""
    import torch
    from torch.utils.tensorboard import SummaryWriter

    answers = {}
    for call in CALLS:
        with tempfile.TemporaryDirectory() as folder:
            answers[call] = told(written(call, torch, SummaryWriter, folder))
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in answers.items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    RECORDED.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

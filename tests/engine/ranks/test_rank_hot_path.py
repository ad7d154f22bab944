"""What the engine itself executes at a micro-batch under DDP: counted in instructions of Python."""

from __future__ import annotations

import subprocess
import sys

import pytest

COUNTING = """
import sys
import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel
import zerograd

ACCUMULATE, WINDOWS = 8, 4
distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
model = DistributedDataParallel(nn.Linear(2, 2))
gradients = zerograd.Gradients(
    torch.optim.SGD(model.parameters(), lr=0.1, fused=True), model=model, accumulate=ACCUMULATE
)
frames = instructions = 0

def count(frame, event, argument):
    global frames, instructions
    if "/zerograd/" not in frame.f_code.co_filename:
        return None
    frame.f_trace_opcodes, frame.f_trace_lines = True, False
    frames += event == "call"
    instructions += event == "opcode"
    return count

batches = iter(gradients.batches([torch.ones(1, 2)] * (2 * WINDOWS * ACCUMULATE)))
for number in range(WINDOWS * ACCUMULATE):
    if number == (WINDOWS - 1) * ACCUMULATE:
        sys.settrace(count)
    gradients.backward(model(next(batches)).mean(){items})
sys.settrace(None)
print(frames / ACCUMULATE, instructions / ACCUMULATE)
distributed.destroy_process_group()
"""


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="each Python compiles the same lines to other bytecodes"
)
@pytest.mark.parametrize(("items", "most"), [("", (50, 1356)), (", items=1", (53, 1443))])
def test_a_micro_batch_under_ddp_executes_no_more_than_it_did(
    items: str, most: tuple[float, float]
) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", COUNTING.replace("{items}", items)],
        capture_output=True,
        text=True,
        check=True,
    )

    frames, instructions = map(float, ran.stdout.split())
    assert frames <= most[0]
    assert instructions <= most[1]

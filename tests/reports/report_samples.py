"""Results that the report tests render: one case a situation, with the sources they stand in."""

from __future__ import annotations

import json
from math import inf, nan

from zerograd.findings import (
    Damage,
    Edit,
    Evidence,
    FamilyReach,
    Finding,
    Fix,
    Location,
    Reach,
    Results,
    Sources,
    Unchecked,
    Withheld,
    fingerprint,
)
from zerograd.rules import Repair, find_rule
from zerograd.severity import Severity

SCALED = """\
for inputs, targets in loader:
    with torch.autocast("cuda"):
        loss = criterion(model(inputs), targets)
    scaler.scale(loss).backward()

    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
"""

LOOP = """\
def train(model, loader, optimizer):
    for inputs, targets in loader:
        loss = criterion(
            model(inputs),
            targets,
        )

        loss.backward()
        log(loss)
        log(model)
        take(optimizer)
"""

HELPER = """\
def take(optimizer):
    optimizer.step()
"""

WIDE = """\
while True:
\tloss\t= 损失(模型(输入), "🎯")  # 计算
\tloss.backward()
"""

ENDLESS = "x = [" + "1, " * 4000 + "loss.backward()" + ", 1" * 4000 + "]\n"

NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["# Training\n", "a \\n note"]},
            {
                "cell_type": "code",
                "metadata": {},
                "outputs": [],
                "source": ["optimizer = SGD(model.parameters(), lr=0.1)"],
            },
            {
                "cell_type": "code",
                "metadata": {},
                "outputs": [],
                "source": ["for batch in loader:\n", '    note("\u6a21\t")\n', "    step(batch)\n"],
            },
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    },
    indent=1,
)

NASTY = "a\x1b[31m::error file=x::\r\n\u202eevil\u2066\x07\x9b%0A,\ud800 {0} [x](1)\u2028"

SOURCES = Sources(
    texts={
        "amp/train.py": SCALED,
        "loop.py": LOOP,
        "helper.py": HELPER,
        "wide.py": WIDE,
        "endless.py": ENDLESS,
        "demo.ipynb": NOTEBOOK,
        "nasty.py": f"x = {NASTY}",
    }
)

CLIP = Finding(
    rule=find_rule("clip-before-unscale"),
    severity=Severity.ERROR,
    location=Location("amp/train.py", 6, 5, 6, 35),
    message="`clip_grad_norm_` sees gradients still multiplied by 65536",
    help="call `scaler.unscale_(optimizer)` first",
    evidence=(Evidence("scaled here", Location("amp/train.py", 4, 5, 4, 34)),),
    fix=Fix(
        Repair.UNSAFE,
        "unscale before the clip",
        (Edit(6, 1, 6, 1, "    scaler.unscale_(optimizer)\n"),),
    ),
    fingerprint=fingerprint("ZG402", "amp/train.py", "", "clip_grad_norm_"),
)

MISSING_ZERO = Finding(
    rule=find_rule("missing-zero"),
    severity=Severity.ERROR,
    location=Location("loop.py", 8, 9, 8, 24),
    message="`optimizer` is never cleared: this adds to gradients that a step already spent",
    help="call `optimizer.zero_grad()` before it",
    evidence=(
        Evidence("deposited here", Location("loop.py", 8, 9, 8, 24)),
        Evidence("taken here", Location("loop.py", 11, 9, 11, 24)),
        Evidence("spent here", Location("helper.py", 2, 5, 2, 21)),
    ),
    fix=Fix(
        Repair.UNSAFE,
        "clear before the backward",
        (Edit(8, 9, 8, 9, "optimizer.zero_grad()\n        "),),
    ),
    fingerprint=fingerprint("ZG101", "loop.py", "train", "loss.backward()"),
)

KEPT = Finding(
    rule=find_rule("kept-graph"),
    severity=Severity.WARNING,
    location=Location("loop.py", 3, 9, 6, 10),
    message="each `loss` keeps its graph alive",
)

UNFUSED = Finding(
    rule=find_rule("unfused-optimizer"),
    severity=Severity.HINT,
    location=Location("demo.ipynb", 1, 13, 1, 44, cell=1),
    message="`SGD` has a fused kernel",
    help="pass `fused=True`",
    evidence=(Evidence("steps here", Location("demo.ipynb", 3, 5, 3, 16, cell=2)),),
    fix=Fix(Repair.DISPLAY, "pass `fused=True`", (Edit(1, 43, 1, 43, ", fused=True"),), cell=1),
)

UNUSED = Finding(
    rule=find_rule("unused-ignore"),
    severity=Severity.HINT,
    location=Location("gone.py", 7, 3, 7, 20),
    message="this pragma silences nothing",
    help="remove it",
    fix=Fix(Repair.SAFE, "remove the pragma", (Edit(7, 3, 7, 20, ""),)),
)

LINT = Results(
    verb="lint",
    findings=(UNUSED, UNFUSED, KEPT, MISSING_ZERO, CLIP),
    reach=Reach(
        thing="loop",
        seen=5,
        checked=3,
        unchecked=(
            Unchecked("unresolved `engine.run`", Location("other.py", 12)),
            Unchecked("over 64 states", Location("big.py", 3, 5)),
        ),
        families=(FamilyReach("clearing", 3, 3), FamilyReach("windows", 2, 1)),
        withheld=(
            Withheld("unnormalised-window", ("the loss is a mean",), Location("loop.py", 8, 5)),
            Withheld(
                "missing-zero",
                ("this is an ordinary optimizer: its making was not seen",),
                Location("loop.py", 8),
                Severity.HINT,
            ),
        ),
    ),
)

WATCH = Results(
    verb="watch",
    findings=(
        Finding(
            rule=find_rule("missing-zero"),
            severity=Severity.ERROR,
            location=Location("loop.py", 8),
            message="`optimizer` spends gradients that it already spent",
            help="call `optimizer.zero_grad()` before it",
            count=312,
            first_step=4,
            last_step=1872,
            rank=1,
            damage=Damage(ratio=7.4, peak_ratio=22.1, cosine=0.31, worst_cosine=-0.4, measured=12),
        ),
        Finding(
            rule=find_rule("spent-twice"),
            severity=Severity.ERROR,
            location=Location("wide.py", 3, 2, 3, 17),
            message="the second step spends `损失` again",
            evidence=(Evidence("损失 deposited here", Location("wide.py", 2, 9, 2, 18)),),
            count=1,
            first_step=3,
            last_step=3,
            damage=Damage(ratio=inf, peak_ratio=inf, cosine=nan, worst_cosine=nan, measured=1),
        ),
        Finding(
            rule=find_rule("backward-twice"),
            severity=Severity.WARNING,
            location=Location("endless.py", 1, 12006, 1, 12021),
            message="`loss` is deposited twice",
            help="keep one of them",
            count=9,
            damage=Damage(ratio=0.25, peak_ratio=0.5, cosine=1, worst_cosine=1, measured=3),
        ),
    ),
    reach=Reach(thing="step", seen=1872, checked=1872),
    notes=("torch 2.14.0 was not tested with zerograd",),
)

NOTHING = Results(verb="lint", findings=(), reach=Reach(thing="loop", seen=0, checked=0))

HOSTILE = Results(
    verb="lint",
    findings=(
        Finding(
            rule=find_rule("missing-zero"),
            severity=Severity.ERROR,
            location=Location(f"::error file=x,line=1::{NASTY}.py", 1, 1, 1, 3),
            message=NASTY,
            help=NASTY,
            evidence=(Evidence(NASTY, Location(NASTY, 2, 1)),),
            fix=Fix(Repair.SAFE, NASTY, (Edit(1, 1, 1, 2, NASTY),)),
        ),
        Finding(
            rule=find_rule("unparsable-file"),
            severity=Severity.WARNING,
            location=Location("nasty.py", 2, 1, 2, 9),
            message="10 kB " * 1700,
        ),
    ),
    reach=Reach(thing="loop", seen=1, checked=0, unchecked=(Unchecked(NASTY, Location(NASTY, 1)),)),
    notes=(NASTY,),
)

CASES = {"lint": LINT, "watch": WATCH, "nothing": NOTHING, "hostile": HOSTILE}

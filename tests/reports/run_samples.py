"""Runs that the page tests draw: real ones, one with a million steps, and a hostile one."""

from __future__ import annotations

import os
import runpy
from contextlib import redirect_stdout
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING

from report_samples import HOSTILE

from zerograd.findings import Damage, Finding, Location, Reach, Results
from zerograd.history import History, Kind, OptimizerCourse, Parameter
from zerograd.rules import find_rule
from zerograd.rules.page import read_page
from zerograd.settings import Settings
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.rules import Rule

EVIL = (
    "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=2'>"
    "\"'`{{7*7}}${7*7}%{x}<b onmouseover=window.hacked=3>&lt;\u2028\u202e\ud800--><!--"
)


def page_run(rule: Rule, folder: Path, *, repaired: bool = False) -> Results:
    """Return the results of running a rule's own program, recorded."""
    from zerograd.watch.process.gather_journals import results
    from zerograd.watch.process.session import Session
    from zerograd.watch.report.paths import begin_here
    from zerograd.watch.report.run_summary import seen_by

    script = folder / f"{rule.module}_{repaired}.py"
    script.write_text(read_page(rule).programs[repaired].source, encoding="utf-8")
    session = Session(Settings(hints=rule.section == 7, preview=True), record=True)
    begin_here()
    session.start()
    error: BaseException | None = None
    try:
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
            runpy.run_path(str(script), run_name="__main__")
    except Exception as stopped:  # some pages show how torch itself stops
        error = stopped
    finally:
        session.stop(error)
    assert session.internal_error is None
    assert session.recorder is not None
    history = session.recorder.history()
    return results(session.findings, seen_by(session.fast_path), [], history)


def nonfinite() -> Results:
    """Return a run whose norms span many magnitudes, then are NaN, as its losses always are."""
    course = OptimizerCourse("SGD", "train.py:8")
    for norm in (1.0, 1e6, nan):
        course.note(Kind.DEPOSIT, "train.py:12")
        course.loss.add(course.step, nan)
        course.spent.add(course.step, norm)
        course.note(Kind.SPEND, "train.py:13")
        course.note(Kind.CLEAR, "train.py:14")
        course.close()
    reach = Reach(thing="step", seen=3, checked=3)
    return Results(verb="watch", findings=(), reach=reach, history=History(lanes=(course.lane(),)))


def million() -> Results:
    """Return a run of a million steps of which a thousand, spread over it, are faulty."""
    course = OptimizerCourse("AdamW", "train.py:8")
    for step in range(1_000_000):
        if step % 1000 != 999:
            course.note(Kind.CLEAR, "train.py:11")
        course.note(Kind.DEPOSIT, "train.py:12")
        course.note(Kind.SPEND, "train.py:13")
        if step % 1000 == 999:
            course.fault("missing-zero")
        if course.spent.wants(course.step):
            course.spent.add(course.step, 1.0 + step % 97)
        course.close()
    fault = Finding(
        rule=find_rule("missing-zero"),
        severity=Severity.ERROR,
        location=Location("train.py", 12),
        message="`loss.backward()` adds to gradients that a step has already spent",
        count=1000,
        first_step=1000,
        last_step=1_000_000,
    )
    return Results(
        verb="watch",
        findings=(fault,),
        reach=Reach(thing="step", seen=1_000_000, checked=1_000_000),
        history=History(lanes=(course.lane(),)),
    )


def restless() -> Results:
    """Return a run in which no two windows are alike, of many optimizers."""
    lanes = []
    for number in range(30):
        course = OptimizerCourse("Adam", f"sweep.py:{number}")
        for step in range(1100):
            for _ in range(1 + (step * 7919) % 5):
                course.note(Kind.DEPOSIT, "sweep.py:90")
            course.note(Kind.SPEND, "sweep.py:91")
            course.spent.add(course.step, 1 / (1 + step))
            course.unclipped.add(course.step, 2 / (1 + step))
            course.scale.add(course.step, 65536.0)
            course.close()
        lanes.append(course.lane())
    reach = Reach(thing="step", seen=33_000, checked=33_000)
    return Results(verb="watch", findings=(), reach=reach, history=History(lanes=tuple(lanes)))


def hostile() -> Results:
    """Return a run whose every string tries to become markup or script."""
    course = OptimizerCourse(EVIL, EVIL)
    for step in range(6):
        course.note(Kind.DEPOSIT, EVIL)
        course.note(Kind.SPEND, EVIL)
        course.fault("missing-zero")
        course.spent.add(course.step, 1.0 + step)
        course.meant.add(course.step, 1.0)
        course.close()
    found = Finding(
        rule=find_rule("missing-zero"),
        severity=Severity.ERROR,
        location=Location(EVIL, 1),
        message=EVIL,
        help=EVIL,
        process=EVIL,
        damage=Damage(ratio=2, peak_ratio=3, cosine=0.5, worst_cosine=0, measured=2),
        count=5,
    )
    history = History(
        lanes=(course.lane(process=EVIL),),
        parameters=(Parameter(name=EVIL, size=3, owned=False, reached=True),),
        facts=((EVIL, EVIL),),
    )
    return Results(
        verb="watch",
        findings=(found, *HOSTILE.findings),
        reach=Reach(thing="step", seen=6, checked=6),
        notes=(EVIL,),
        history=history,
    )

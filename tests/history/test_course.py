"""An optimizer's course: moments become windows, windows of one shape one run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from zerograd.history import History, Kind, OptimizerCourse, Parameter
from zerograd.history.history import from_record

if TYPE_CHECKING:
    from zerograd.history import OptimizerHistory


def window(course: OptimizerCourse, *moments: Kind, fault: str = "") -> None:
    """Let these happen, each on a line of its own, and close the window."""
    for moment in moments:
        course.note(moment, f"{moment}.py:1")
    if fault:
        course.fault(fault)
    course.close()


def regular(steps: int) -> OptimizerHistory:
    course = OptimizerCourse("SGD", "train.py:8")
    for _ in range(steps):
        window(course, Kind.CLEAR, Kind.DEPOSIT, Kind.SPEND)
    return course.lane()


def test_a_regular_course_is_one_shape_and_one_run() -> None:
    lane = regular(100)

    assert lane.shapes == (((("clear", 0, 1), ("deposit", 1, 1), ("spend", 2, 1)), ()),)
    assert lane.runs == ((1, 100, 0, 1, 1, 100),)
    assert lane.places == ("clear.py:1", "deposit.py:1", "spend.py:1")


def test_deposits_of_one_line_are_counted() -> None:
    course = OptimizerCourse("SGD", "train.py:8")

    window(course, Kind.DEPOSIT, Kind.DEPOSIT, Kind.DEPOSIT, Kind.SPEND)

    assert course.lane().shapes[0][0] == (("deposit", 0, 3), ("spend", 1, 1))
    assert course.lane().runs[0][3:] == (3, 3, 3)


def test_a_clear_group_by_group_is_one_clear() -> None:
    course = OptimizerCourse("SGD", "train.py:8")

    course.note(Kind.PART_CLEAR, "train.py:9")
    course.note(Kind.CLEAR, "train.py:9")
    course.close()

    assert course.lane().shapes[0][0] == (("clear", 0, 1),)


def test_a_fault_marks_its_window_and_the_first_stays_alone() -> None:
    course = OptimizerCourse("SGD", "train.py:8")

    for _ in range(3):
        window(course, Kind.DEPOSIT, Kind.SPEND, fault="missing-zero")

    lane = course.lane()
    assert [run[:2] for run in lane.runs] == [(1, 1), (2, 2)]
    assert lane.faults == {"missing-zero": 3}


def test_an_endless_window_keeps_its_step() -> None:
    course = OptimizerCourse("SGD", "train.py:8")

    window(course, *([Kind.DEPOSIT, Kind.CLIP] * 50), Kind.SPEND)

    moments = course.lane().shapes[0][0]
    assert len(moments) == 25
    assert moments[-1][0] == "spend"
    assert course.lane().runs[0][5] == 50


def test_windows_of_endless_variety_keep_the_rules_they_broke() -> None:
    course = OptimizerCourse("SGD", "train.py:8")

    for deposits in range(1, 2000):
        fault = "wrong-divisor" if deposits % 10 == 0 else ""
        window(course, *[Kind.DEPOSIT] * (deposits % 700), Kind.SPEND, fault=fault)

    lane = course.lane()
    assert len(lane.shapes) <= 1024
    assert lane.faults["wrong-divisor"] > 100


def test_what_no_step_has_spent_is_a_last_window_and_no_step() -> None:
    course = OptimizerCourse("SGD", "train.py:8")
    window(course, Kind.DEPOSIT, Kind.SPEND)
    course.note(Kind.DEPOSIT, "train.py:9")

    course.end()

    lane = course.lane()
    assert lane.steps == 1
    assert lane.shapes[-1][0][-1][0] == "end"


def test_a_course_that_ended_at_a_step_has_no_further_window() -> None:
    course = OptimizerCourse("SGD", "train.py:8")
    window(course, Kind.DEPOSIT, Kind.SPEND)

    course.end()

    assert course.lane().runs == ((1, 1, 0, 1, 1, 1),)


def test_a_million_steps_take_as_much_room_as_ten() -> None:
    ten, many = (len(json.dumps(regular(steps).runs)) for steps in (10, 20_000))

    assert many < ten + 16


def test_a_history_comes_back_from_its_record() -> None:
    history = History(
        lanes=(regular(3),),
        left_out=1,
        parameters=(Parameter(name="Net.weight", size=3, owned=True, reached=False),),
        facts=(("torch", "2.13.0"),),
    )

    back = from_record(json.loads(json.dumps(history.record())))

    assert json.dumps(back.record()) == json.dumps(history.record())
    assert back.parameters == history.parameters


def test_processes_together_keep_their_lanes_and_name_each_parameter_once() -> None:
    weight = Parameter(name="Net.weight", size=3, owned=True, reached=True)
    one = History(lanes=(regular(3),), parameters=(weight,), facts=(("torch", "2"),))
    two = History(lanes=(regular(4),), parameters=(weight,)).of_process("rank 1")

    both = one.followed_by(two)

    assert [(lane.steps, lane.process) for lane in both.lanes] == [(3, None), (4, "rank 1")]
    assert both.parameters == (weight,)
    assert both.facts == (("torch", "2"),)

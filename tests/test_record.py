"""Records behave as dataclasses do, whether their constructor is compiled yet or not."""

from __future__ import annotations

import ast
import copy
import doctest
import pickle
from pathlib import Path

import pytest

import zerograd
from zerograd import record as module
from zerograd.record import FEW, field, plain, record, replace, values_of


@record(frozen=True, order=True)
class Point:
    x: int
    y: int = 0


@record()
class Bag:
    owner: str
    things: list[str] = field(default_factory=list)
    label: str = field(init=False)

    def __post_init__(self) -> None:
        self.label = f"{self.owner}'s"


@record(eq=False)
class Node:
    line: int


@record(eq=False)
class Leaf(Node):
    name: str = "leaf"


@record(frozen=True, kw_only=True)
class Line:
    start: Point
    ends: tuple[Point, ...] = ()


@record(frozen=True)
class Reading:
    rank: int
    values: list[int] = field(compare=False)


def often() -> type[Point]:
    """Return a class whose constructor is compiled."""

    @record(frozen=True)
    class Often:
        x: int
        y: int = 0

    for number in range(FEW + 1):
        Often(number)
    return Often  # type: ignore[return-value]  # it has the same fields


@pytest.fixture(params=["interpreted", "compiled"])
def point(request: pytest.FixtureRequest) -> type[Point]:
    return Point if request.param == "interpreted" else often()


def test_the_examples_in_the_module_hold() -> None:
    assert doctest.testmod(module).failed == 0


def test_fields_are_given_by_place_or_by_name(point: type[Point]) -> None:
    assert values_of(point(1, y=2)) == {"x": 1, "y": 2}


def test_a_default_stands_in_for_a_value(point: type[Point]) -> None:
    assert point(1).y == 0


@pytest.mark.parametrize(
    ("given", "named"), [((), {}), ((1, 2, 3), {}), ((1,), {"x": 1}), ((1,), {"z": 1})]
)
def test_what_does_not_fit_is_refused(
    point: type[Point], given: tuple[int, ...], named: dict[str, int]
) -> None:
    with pytest.raises(TypeError, match="__init__"):
        point(*given, **named)


def test_a_frozen_record_stays_as_it_is(point: type[Point]) -> None:
    with pytest.raises(AttributeError, match="is frozen: x stays as it is"):
        point(1).x = 2  # type: ignore[misc]  # mypy sees it too


def test_a_frozen_record_is_a_key(point: type[Point]) -> None:
    assert {point(1): "one"}[point(1, 0)] == "one"


def test_each_record_has_a_default_of_its_own() -> None:
    assert Bag("a").things is not Bag("b").things


def test_what_is_left_to_post_init_is_filled_there() -> None:
    assert Bag("Ann").label == "Ann's"


def test_what_is_left_to_post_init_cannot_be_given() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'label'"):
        Bag("Ann", label="Bob's")  # type: ignore[call-arg]


def test_a_changeable_record_has_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Bag("Ann"))


def test_records_of_two_classes_are_never_equal() -> None:
    assert Point(1) != often()(1)


def test_records_are_ordered_by_their_fields() -> None:
    assert sorted([Point(2), Point(1, 5), Point(1, 4)]) == [Point(1, 4), Point(1, 5), Point(2)]


def test_a_record_that_is_itself_only_is_equal_to_no_other() -> None:
    assert Node(1) != Node(1)


def test_a_record_inherits_fields() -> None:
    assert values_of(Leaf(3)) == {"line": 3, "name": "leaf"}


def test_a_copy_may_differ_in_some_fields() -> None:
    assert replace(Point(1, 2), y=3) == Point(1, 3)


def test_a_replaced_record_is_made_anew() -> None:
    assert replace(Bag("Ann"), owner="Bob").label == "Bob's"


def test_a_record_travels_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(Point(1, 2))) == copy.deepcopy(Point(1, 2)) == Point(1, 2)


def test_records_inside_records_become_plain_data() -> None:
    line = Line(start=Point(1), ends=(Point(2),))

    assert plain(line) == {"start": {"x": 1, "y": 0}, "ends": ({"x": 2, "y": 0},)}


def test_a_record_has_slots_and_no_other_attribute() -> None:
    with pytest.raises(AttributeError):
        Bag("Ann").colour = "red"  # type: ignore[attr-defined]


def test_a_field_may_be_left_out_of_comparisons() -> None:
    assert Reading(0, [1]) == Reading(0, [2]) != Reading(1, [1])
    assert hash(Reading(0, [1])) == hash(Reading(0, [2]))


def imported(text: str) -> set[str]:
    """Return the modules that a program imports by name."""
    nodes = list(ast.walk(ast.parse(text)))
    froms = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return froms | {
        alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names
    }


def test_all_records_are_made_by_one_module() -> None:
    source = Path(zerograd.__file__).parent
    others = {"attr", "attrs", "dataclasses", "msgspec", "pydantic"}
    texts = {file: file.read_text(encoding="utf-8") for file in sorted(source.rglob("*.py"))}

    elsewhere = [file.name for file, text in texts.items() if imported(text) & others]
    makers = [file.name for file, text in texts.items() if "namedtuple(" in text]

    assert elsewhere == []
    assert makers == []
    assert len(texts) > 400


def test_a_dataclass_would_be_found() -> None:
    assert "dataclasses" in imported("from dataclasses import dataclass")

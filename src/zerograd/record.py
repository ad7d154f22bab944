"""Records: classes of named fields, as `dataclasses` makes them at ten times the price.

Lint defines sixty of them before it has read a line. `dataclasses` compiles five functions for
each; here the constructor is compiled when it is called often, and everything else is shared.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable

    Key = Callable[[Any], Any]

T = TypeVar("T")

FIELDS = "__record_fields__"
"""The attribute of a record's class with its fields, in order."""

FEW = 20
"""Records of one class; a constructor of its own pays for more."""

ORDER = ("__lt__", "__le__", "__gt__", "__ge__")
put = object.__setattr__


class Field:
    """One field: how a record without a value for it gets one."""

    __slots__ = ("compare", "default", "factory", "init", "kw_only")

    def __init__(
        self,
        factory: Callable[[], object] | None = None,
        *,
        init: bool = True,
        compare: bool = True,
    ) -> None:
        self.factory = factory
        self.init = init
        self.compare = compare
        self.kw_only = False
        self.default: object = Field

    @property
    def has_default(self) -> bool:
        """Whether a record can do without a value for it."""
        return self.factory is not None or self.default is not Field

    @property
    def is_needed(self) -> bool:
        """Whether the constructor must be given a value."""
        return self.init and not self.has_default

    def new(self) -> object:
        """Return the value of a record that was given none."""
        return self.factory() if self.factory else self.default


def field(
    *,
    default_factory: Callable[[], Any] | None = None,
    init: bool = True,
    compare: bool = True,
) -> Any:
    """Give each record a new default, leave a field to `__post_init__`, or out of comparisons."""
    return Field(default_factory, init=init, compare=compare)


@dataclass_transform(field_specifiers=(field,))
def record(
    *, frozen: bool = False, kw_only: bool = False, eq: bool = True, order: bool = False
) -> Callable[[type[T]], type[T]]:
    """Make a class with slots of an annotated one; the words mean what `dataclass` means by them.

    >>> @record(frozen=True)
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(1, 0)
    (Point(x=1, y=0), True)
    """

    def make(cls: type[T]) -> type[T]:
        own = own_fields(cls, kw_only=kw_only)
        fields = {**getattr(cls, FIELDS, {}), **own}
        body = {key: value for key, value in vars(cls).items() if key not in (*own, *SPARE)}
        body |= {"__slots__": tuple(own), FIELDS: fields, "__init__": construct}
        body["__match_args__"] = tuple(name for name, item in fields.items() if not item.kw_only)
        if eq:
            body |= comparison(key_of(fields), frozen=frozen, order=order)
        body.setdefault("__repr__", shown)
        if frozen:
            body |= FROZEN
        whole: type[T] = type(cls.__name__, cls.__bases__, body)
        return whole

    return make


SPARE = ("__dict__", "__weakref__")
"""What a class without slots has in their place."""


def own_fields(cls: type, *, kw_only: bool) -> dict[str, Field]:
    """Return the fields that a class itself annotates."""
    fields = {}
    for name in vars(cls).get("__annotations__", ()):
        given = vars(cls).get(name, Field)
        found = fields[name] = given if isinstance(given, Field) else Field()
        found.kw_only = kw_only
        if found is not given:
            found.default = given
    return fields


def replace(old: T, **changes: Any) -> T:
    """Return a record like another but for some fields."""
    fields: dict[str, Field] = getattr(old, FIELDS)
    kept = {name: getattr(old, name) for name, item in fields.items() if item.init}
    return type(old)(**(kept | changes))


def values_of(item: object) -> dict[str, Any]:
    """Return the values of a record's fields, by name."""
    return {name: getattr(item, name) for name in getattr(item, FIELDS)}


def plain(item: object) -> Any:
    """Return a record, and those in its fields, as dicts and tuples."""
    if hasattr(type(item), FIELDS):
        return {name: plain(value) for name, value in values_of(item).items()}
    return tuple(map(plain, item)) if isinstance(item, tuple) else item


def construct(self: object, *given: object, **named: object) -> None:
    """Fill a new record field by field; one of a class that is often made, at once."""
    cls = type(self)
    made[cls] = made.get(cls, 0) + 1
    values = dict(zip(cls.__match_args__, given, strict=False)) | named  # type: ignore[attr-defined]
    fields: dict[str, Field] = getattr(cls, FIELDS)
    asked = {
        name for name, item in fields.items() if item.is_needed or (item.init and name in values)
    }
    if made[cls] > FEW or len(values) < len(given) + len(named) or asked != values.keys():
        # What does not fit is refused by the compiled one, in Python's own words.
        cls.__init__ = constructor(cls)  # type: ignore[method-assign]
        cls.__init__(self, *given, **named)
        return
    for name, item in fields.items():
        if name in values or item.has_default:
            put(self, name, values[name] if name in values else item.new())
    if hasattr(cls, "__post_init__"):
        self.__post_init__()  # type: ignore[attr-defined]


made: dict[type, int] = {}
"""How many records of a class were made, as long as there are few."""


def constructor(cls: type) -> Callable[..., None]:
    """Compile `__init__`."""
    fields: dict[str, Field] = getattr(cls, FIELDS)
    known: dict[str, Any] = {"put": put, "Field": Field}
    known |= {f"default_{name}": item.default for name, item in fields.items()}
    known |= {f"new_{name}": item.factory for name, item in fields.items()}
    asked = sorted((pair for pair in fields.items() if pair[1].init), key=lambda at: at[1].kw_only)
    heads = [header(name, item) for name, item in asked]
    ahead = sum(not item.kw_only for _, item in asked)
    heads[ahead:ahead] = ["*"] * (ahead < len(heads))
    is_frozen = cls.__setattr__ is refuse
    lines = [assignment(name, item, is_frozen=is_frozen) for name, item in fields.items()]
    lines += ["self.__post_init__()"] * hasattr(cls, "__post_init__")
    body = "\n ".join(filter(None, lines)) or "pass"
    source = f"def __init__({', '.join(['self', *heads])}):\n {body}"
    # Compiled first: the evaluation of a text makes Python forget that Ctrl-C ended the program.
    exec(compile(source, "<record>", "exec"), known)
    compiled: Callable[..., None] = known["__init__"]
    compiled.__qualname__ = f"{cls.__qualname__}.__init__"
    return compiled


def header(name: str, item: Field) -> str:
    """Return a field as the constructor's parameter."""
    if item.factory:
        return f"{name}=Field"
    return name if item.default is Field else f"{name}=default_{name}"


def assignment(name: str, item: Field, *, is_frozen: bool) -> str:
    """Return the statement that fills a field; none where that is left to `__post_init__`."""
    if not item.init and not item.factory:
        return ""
    fresh = f"new_{name}()"
    value = name
    if item.factory:
        value = f"{fresh} if {name} is Field else {name}" if item.init else fresh
    return f"put(self, {name!r}, {value})" if is_frozen else f"self.{name} = {value}"


def key_of(fields: dict[str, Field]) -> Key:
    """Return what tells two records apart: a function, and a fast one."""
    # Of one name `attrgetter` returns the bare value; asked twice for it, a tuple.
    names = tuple(name for name, item in fields.items() if item.compare)
    return operator.attrgetter(*(names if len(names) > 1 else names * 2))


def comparison(key: Key, *, frozen: bool, order: bool) -> dict[str, Any]:
    """Return the methods that compare records by their fields; changeable ones have no hash."""
    methods: dict[str, Any] = {name: compared(name, key) for name in ORDER if order}
    methods["__eq__"] = compared("__eq__", key)
    methods["__hash__"] = (lambda self: hash(key(self))) if frozen else None
    return methods


def compared(name: str, key: Key) -> Callable[[object, object], Any]:
    """Return a comparison of records of one class."""
    relation = getattr(operator, name)

    def method(self: object, other: object) -> Any:
        if type(self) is not type(other):
            return NotImplemented
        return relation(key(self), key(other))

    return method


def shown(self: object) -> str:
    """`Point(x=1, y=0)`."""
    values = ", ".join(f"{name}={value!r}" for name, value in values_of(self).items())
    return f"{type(self).__qualname__}({values})"


def refuse(self: object, name: str, *_: object) -> None:
    """Keep a frozen record as it is."""
    raise AttributeError(f"{type(self).__name__} is frozen: {name} stays as it is")


def taken(self: object) -> list[object]:
    """Return the values, for a copy or another process."""
    return list(values_of(self).values())


def given_back(self: object, values: list[object]) -> None:
    """Fill a frozen record that was taken apart."""
    for name, value in zip(getattr(self, FIELDS), values, strict=True):
        put(self, name, value)


FROZEN = {
    "__setattr__": refuse,
    "__delattr__": refuse,
    "__getstate__": taken,
    "__setstate__": given_back,
}

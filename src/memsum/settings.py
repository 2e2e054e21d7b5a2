"""Settings declared once, as the fields of a dataclass: type, default, bounds, a line of help; and the check of values.

Bounds are `ge`, `gt`, `le` and `lt` in a field's metadata, as `setting` declares them; choices are a `Literal`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from difflib import get_close_matches
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from memsum.errors import MemsumError

T = TypeVar("T")


def setting(default: Any, help: str = "", **details: Any) -> Any:  # noqa: A002
    """Declare a field: its default, a line of help, and details such as its bounds."""
    return field(default=default, metadata={"help": help, **details})


@cache
def types_of(kind: Any) -> dict[str, Any]:
    """Return the types of a dataclass' fields, by name."""
    hints = get_type_hints(kind)
    return {declared.name: hints[declared.name] for declared in fields(kind)}


def check_settings(settings: object, error: type[MemsumError] = MemsumError) -> None:
    """Refuse a dataclass with a value of another type, out of its bounds, or none of its choices."""
    check_values(type(settings), vars(settings), error)


def check_values(kind: type, values: Mapping[str, Any], error: type[MemsumError] = MemsumError) -> None:
    """Refuse values that the fields of these names cannot have."""
    types, bounds = types_of(kind), {declared.name: declared.metadata for declared in fields(kind)}
    for name, value in values.items():
        hint = types.get(name, Any)
        if _fits(value, hint, bounds.get(name, {})):
            continue
        literals = [part for part in (hint, *get_args(hint)) if get_origin(part) is Literal]
        if choices := [str(choice) for literal in literals for choice in get_args(literal)]:
            raise error(f"{name} cannot be {value!r:.80}.", f"Choose one of {', '.join(choices)}.")
        raise error(f"{name} must be {_wanted(hint, bounds[name])}, not {value!r:.80}.")


def make_settings(
    kind: type[T], values: Mapping[str, Any], of: str, error: type[MemsumError] = MemsumError, base: T | None = None
) -> T:
    """Make a dataclass of values by name, as a file has them, on top of another one's; `of` says what they set."""
    types = types_of(kind)  # type: ignore[arg-type]
    refuse_unknown(values, types, of, error)
    check_values(kind, values, error)
    chosen = {} if base is None else {name: getattr(base, name) for name in types}
    return kind(**chosen | {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()})


def refuse_unknown(names: Iterable[str], known: Iterable[str], of: str, error: type[MemsumError] = MemsumError) -> None:
    """Refuse a name that is not known, with the closest one and all others."""
    known = list(known)
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, 1)
            meant = f"Did you mean {close[0]}? " if close else ""
            raise error(f"{name!r:.80} is not a setting of {of}.", f"{meant}Settings are {', '.join(known)}.")


def _fits(value: Any, hint: Any, bounds: Mapping[str, Any]) -> bool:
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, part, bounds) for part in parts)
    if origin is Literal:
        return value in parts
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            return False
        each = parts[:1] * len(value) if parts[-1] is ... else parts
        return len(each) == len(value) and all(_fits(*pair, bounds) for pair in zip(value, each, strict=True))
    if hint in (int, float):
        if not isinstance(value, (int, hint)) or isinstance(value, bool) or not math.isfinite(value):
            return False
        low, high = bounds.get("ge", -math.inf), bounds.get("le", math.inf)
        return bool(low <= value <= high and bounds.get("gt", -math.inf) < value < bounds.get("lt", math.inf))
    return hint is Any or isinstance(value, origin or hint)


def _wanted(hint: Any, bounds: Mapping[str, Any]) -> str:
    """Say in words what a setting can be."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(_wanted(part, bounds) for part in parts if part is not NoneType)
    if origin is tuple:
        return f"a list, each {_wanted(parts[0], bounds)}"
    words = {int: "a whole number", float: "a number", bool: "True or False", str: "a text"}.get(hint, "a table")
    if hint not in (int, float):
        return words
    low, high = bounds.get("ge", bounds.get("gt")), bounds.get("le", bounds.get("lt"))
    above = f", and more than {low}" if "gt" in bounds else ""
    below = f", and less than {high}" if "lt" in bounds else ""
    if low is not None and high is not None:
        return f"{words} from {low} to {high}{above}{below}"
    if low is not None:
        return f"{words} greater than {low}" if above else f"{words} of at least {low}"
    return words if high is None else f"{words} of at most {high}{below}"

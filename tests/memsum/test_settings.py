from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from memsum.errors import MemsumError, ModelError
from memsum.settings import check_settings, make_settings, setting


@dataclass(frozen=True)
class Oven:
    mode: Literal["bake", "grill"] = "bake"
    trays: int = setting(1, "Trays at once.", ge=1)
    share: float = setting(0.5, gt=0, le=1)
    decay: float = setting(0.9, ge=0, lt=1)
    heat: float = setting(180.0, gt=0)
    minutes: int | None = setting(None, ge=1)
    times: tuple[int, ...] = setting((), ge=0)
    pair: tuple[float, float] = (0.9, 0.99)
    name: str = ""
    fan: bool = False
    kinds: Mapping[str, str] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"mode": "boil"}, "mode cannot be 'boil'."),
        ({"mode": ["bake"]}, "mode cannot be ['bake']."),
        ({"trays": 0}, "trays must be a whole number of at least 1, not 0."),
        ({"trays": True}, "trays must be a whole number of at least 1, not True."),
        ({"trays": 1.0}, "trays must be a whole number of at least 1, not 1.0."),
        ({"share": 0}, "share must be a number from 0 to 1, and more than 0, not 0."),
        ({"share": 1.5}, "share must be a number from 0 to 1, and more than 0, not 1.5."),
        ({"decay": 1}, "decay must be a number from 0 to 1, and less than 1, not 1."),
        ({"heat": -1}, "heat must be a number greater than 0, not -1."),
        ({"heat": float("inf")}, "heat must be a number greater than 0, not inf."),
        ({"minutes": 0}, "minutes must be a whole number of at least 1, not 0."),
        ({"times": 5}, "times must be a list, each a whole number of at least 0, not 5."),
        ({"times": [1, "x"]}, "times must be a list, each a whole number of at least 0, not [1, 'x']."),
        ({"pair": [0.1]}, "pair must be a list, each a number, not [0.1]."),
        ({"name": 3}, "name must be a text, not 3."),
        ({"fan": 1}, "fan must be True or False, not 1."),
        ({"kinds": []}, "kinds must be a table, not []."),
    ],
)
def test_a_value_that_does_not_fit_is_refused_in_one_sentence(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError) as refused:
        make_settings(Oven, values, "an oven", ModelError)
    assert str(refused.value) == message
    with pytest.raises(ModelError):
        check_settings(Oven(**values), ModelError)


def test_values_of_a_file_become_settings() -> None:
    values = {"mode": "grill", "trays": 2, "heat": 200, "minutes": None, "times": [1, 2], "pair": [0, 1], "fan": True}
    made = make_settings(Oven, values, "an oven")
    assert (made.mode, made.trays, made.heat, made.times, made.pair) == ("grill", 2, 200, (1, 2), (0, 1))
    check_settings(made)
    assert make_settings(Oven, {"trays": 3}, "an oven", base=made).times == (1, 2)


def test_an_unknown_name_is_refused_with_the_closest_one_and_all_others() -> None:
    with pytest.raises(MemsumError) as refused:
        make_settings(Oven, {"tray": 2}, "an oven")
    assert str(refused.value) == "'tray' is not a setting of an oven."
    assert refused.value.hint is not None
    assert refused.value.hint.startswith("Did you mean trays? Settings are mode, trays, share")
    with pytest.raises(MemsumError) as refused:
        make_settings(Oven, {"xyzzy": 2}, "an oven")
    assert str(refused.value.hint).startswith("Settings are mode")

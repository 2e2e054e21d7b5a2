from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from memsum.errors import MissingExtraError
from memsum_train.report.figures import COLORS, drawing, series, write_figure

pytest.importorskip("matplotlib")


def draw(path: Path, *, height: float = 3.0) -> tuple[Path, Path]:
    with drawing(1, 2, height=height, note="data:garden|n:12|seed:3 " * 12) as (figure, (left, right)):
        for place in range(3):
            left.plot([1, 2, 3], [place, 2 * place, place], label=f"bed {place}", **series(place))
        left.legend()
        right.pcolormesh([[0.1, 0.5], [0.9, 0.2]], cmap="Blues")
        right.set(xlabel="week", ylabel="tomatoes")
    png, svg = (path.with_name(f"{path.name}.{kind}") for kind in ("png", "svg"))
    for file in (png, svg):
        write_figure(figure, file)
    return png, svg


def test_equal_data_gives_equal_bytes(tmp_path: Path) -> None:
    first = draw(tmp_path / "first")
    second = draw(tmp_path / "second")
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_both_files_are_what_their_names_say(tmp_path: Path) -> None:
    png, svg = draw(tmp_path / "yield.by.week", height=2.5)
    assert (png.name, svg.name) == ("yield.by.week.png", "yield.by.week.svg")
    header = png.read_bytes()[:24]
    assert header.startswith(b"\x89PNG")
    assert (int.from_bytes(header[16:20], "big"), int.from_bytes(header[20:24], "big")) == (1200, 500)
    assert ElementTree.fromstring(svg.read_text("utf-8")).tag.endswith("svg")


def test_an_svg_says_nothing_of_when_and_where_and_needs_no_font_or_picture(tmp_path: Path) -> None:
    _, svg = draw(tmp_path / "plain")
    text = svg.read_text("utf-8")
    assert "dc:date" not in text
    assert "<text" not in text
    assert "<image" not in text


def test_settings_of_the_user_change_nothing_and_stay_as_they_are(tmp_path: Path) -> None:
    import matplotlib

    plain = draw(tmp_path / "plain")[1].read_bytes()
    with matplotlib.rc_context({"font.size": 20, "axes.facecolor": "black", "svg.hashsalt": None}):
        assert draw(tmp_path / "own")[1].read_bytes() == plain
        assert matplotlib.rcParams["font.size"] == 20


def test_lines_differ_in_more_than_their_color() -> None:
    lines = [series(place) for place in range(4)]
    for what in ("color", "linestyle", "marker"):
        assert len({line[what] for line in lines}) == 4
    assert series(len(COLORS))["color"] == COLORS[0]


def test_colors_are_told_apart_by_their_lightness_or_hue() -> None:
    assert all(re.fullmatch("#[0-9A-F]{6}", color) for color in COLORS)
    assert len(set(COLORS)) == len(COLORS)


def test_without_matplotlib_one_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match="Drawing figures") as caught, drawing():
        pass
    assert (caught.value.hint or "").endswith(" -m pip install 'memsum[plots]'")

"""What is missing is named as what it is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memsum.errors import MemsumError, MissingExtraError, needs_extra


def test_a_library_that_is_not_there_is_a_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "colorsys", None)
    code = compile("import colorsys", "memsum/somewhere.py", "exec")
    with pytest.raises(MissingExtraError) as caught, needs_extra("plots", "Drawing figures"):
        exec(code, {"__name__": "memsum.somewhere"})
    assert "memsum[plots]" in (caught.value.hint or "")


def test_a_library_that_lacks_something_itself_is_named_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fancyplots.py").write_text("import colors_of_fancyplots\n")
    monkeypatch.syspath_prepend(tmp_path)
    says = "needs fancyplots, which is installed but cannot"
    with pytest.raises(MemsumError, match=says) as caught, needs_extra("plots", "Drawing figures"):
        import fancyplots  # type: ignore[import-not-found]  # noqa: F401
    assert not isinstance(caught.value, MissingExtraError)
    assert "No module named 'colors_of_fancyplots'" in caught.value.message

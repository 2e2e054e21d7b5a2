"""The site of the documentation: it builds, and its gallery shows what the model does."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_site_builds_without_broken_links(tmp_path: Path) -> None:
    pytest.importorskip("mkdocstrings")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path)]
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    assert "Exactly this many sentences." in (tmp_path / "reference" / "python" / "index.html").read_text("utf-8")
    assert "Why ice floats" in (tmp_path / "gallery" / "index.html").read_text("utf-8")


def test_the_gallery_is_up_to_date() -> None:
    spec = spec_from_file_location("gallery", ROOT / "docs" / "gallery.py")
    assert spec is not None
    assert spec.loader is not None
    gallery = module_from_spec(spec)
    spec.loader.exec_module(gallery)
    assert gallery.PAGE.read_text("utf-8") == gallery.page(), "run `python docs/gallery.py`"

"""A short soak: among good, hostile, slow and vanishing clients the server stays responsive and small, and stops."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not tell what a process holds")
def test_a_short_soak(model_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "benchmarks"))
    import soak

    with soak.serving(model_folder, "--workers", "2", "--queue", "16", "--timeout", "2") as server:
        before = server.files()
        seen = soak.soak(server, 6, 1)
        said = server.process.returncode
    del sys.modules["soak"]
    assert seen.answers["good 200"]
    assert not seen.answers["healthz failed"]
    statuses = {int(kind.split()[1]) for kind in seen.answers}
    assert statuses <= {0, 200, 403, 413, 422, 429, 503}
    assert not any(kind.startswith(("good 4", "good 0")) for kind in seen.answers)
    assert max(seen.files) < before + 40  # connections under way, and pipes of workers
    assert max(seen.processes) <= 5
    assert seen.memory[-1] < 1.5 * max(seen.memory[:3])
    assert seen.stopped < 20
    assert said is not None

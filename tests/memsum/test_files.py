"""Files appear whole under their name, and what is not a file is written to."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from memsum.files import write_atomically


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_pipes_devices_and_links_stay_what_they_are(tmp_path: Path) -> None:
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_atomically(pipe, b"The pump ran.")
    reader.join(10)
    assert received == [b"The pump ran."]
    assert stat.S_ISFIFO(pipe.stat().st_mode)

    device = Path(os.devnull)
    write_atomically(device, b"The pump ran.")
    assert stat.S_ISCHR(device.stat().st_mode)

    file, link = tmp_path / "file", tmp_path / "link"
    link.symlink_to(file)
    for content in (b"old", b"new"):
        write_atomically(link, content)
        assert link.is_symlink()
        assert file.read_bytes() == content
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "link", "pipe"]

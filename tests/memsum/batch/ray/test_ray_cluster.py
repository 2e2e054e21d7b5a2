"""A cluster that is not there is missed at once, in one sentence."""

from __future__ import annotations

import socket
import sys

import pytest

from memsum.batch.ray_engine import connect
from memsum.errors import MemsumError, MissingExtraError

pytestmark = pytest.mark.slow


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this process did not belong to the cluster of the other tests."""
    import ray

    monkeypatch.setattr(ray, "is_initialized", lambda: False)


@pytest.mark.usefixtures("apart")
def test_where_nobody_listens_there_is_no_cluster():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(MemsumError, match=f"There is no Ray cluster at {address}: .*refused"), connect(address, 1):
            pass


@pytest.mark.usefixtures("apart")
def test_an_address_that_is_none_is_named():
    with pytest.raises(MemsumError, match="There is no Ray cluster at nowhere:port"), connect("nowhere:port", 1):
        pass


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError) as missing, connect(None, 1):
        pass
    assert "memsum[cluster]" in missing.value.hint

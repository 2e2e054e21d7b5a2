"""A server that is killed loses no vote that it has acknowledged."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memsum_study.store import Study

from .conftest import MakeStudy, Server

pytestmark = pytest.mark.slow

httpx = pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("uvicorn", reason="the serve extra is not installed")

VOTE = {"coverage": "left", "non-redundancy": "right", "action": "submit"}
KILLS = 2


class Voter(threading.Thread):
    """Changes its vote on one pair again and again, and remembers what was acknowledged and what was sent."""

    def __init__(self, server: Server, link: str, number: int) -> None:
        super().__init__(daemon=True)
        self.server, self.code, self.number = server, link.rsplit("/", 1)[1], number
        self.acknowledged = self.sent = 0
        self.stopping = threading.Event()

    def run(self) -> None:
        address = self.server.address
        with httpx.Client(base_url=address, cookies={"annotator": self.code}, headers={"origin": address}) as client:
            while not self.stopping.is_set():
                self.sent += 1
                vote = {**VOTE, "overall": "left" if self.sent % 2 else "right", "comment": str(self.sent)}
                try:
                    answer = client.post(f"/pairs/{self.number}", data=vote, timeout=5)
                except httpx.TransportError:
                    time.sleep(0.05)  # the server is dead: it may or may not have stored this one
                    continue
                assert answer.status_code == 303
                self.acknowledged = self.sent


def test_no_acknowledged_vote_is_lost(make_study: MakeStudy, serve: Callable[[Path], Server]) -> None:
    path = make_study(annotators=4, overlap=4)
    server = serve(path)
    voters = [Voter(server, link, number) for link in server.links for number in (1, 2)]
    for voter in voters:
        voter.start()
    for kill in range(KILLS):
        before = [voter.acknowledged for voter in voters]
        end = time.monotonic() + 120
        while any(voter.acknowledged <= old + 2 for voter, old in zip(voters, before, strict=True)):
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.02)
        server.kill()
        acknowledged = [voter.acknowledged for voter in voters]
        _check(path, voters, acknowledged)
        if kill + 1 < KILLS:
            server.start()
    for voter in voters:
        voter.stopping.set()
    for voter in voters:
        voter.join(20)
    _check(path, voters, [voter.acknowledged for voter in voters])


def _check(path: Path, voters: list[Voter], acknowledged: list[int]) -> None:
    with Study(path) as study:
        assert study.rows("PRAGMA integrity_check") == [("ok",)]
        for voter, known in zip(voters, acknowledged, strict=True):
            annotator = study.annotator(voter.code)
            assert annotator is not None
            task = study.task(annotator, voter.number)
            assert task is not None
            assert task.ballot is not None
            assert known <= int(task.ballot.comment) <= voter.sent


def test_a_server_that_is_asked_to_stop_leaves_all_in_one_file(
    make_study: MakeStudy, serve: Callable[[Path], Server]
) -> None:
    server = serve(make_study())
    cookies, headers = {"annotator": server.links[0].rsplit("/", 1)[1]}, {"origin": server.address}
    vote = {**VOTE, "overall": "left"}
    assert httpx.post(f"{server.address}/pairs/1", data=vote, cookies=cookies, headers=headers).status_code == 303
    server.stop()
    assert [path.name for path in server.path.parent.iterdir()] == [server.path.name]
    with Study(server.path) as study:
        assert study.rows("SELECT overall FROM votes") == [("left",)]

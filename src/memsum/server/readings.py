"""Documents that were read and encoded, kept for a while so that their readers can change the length at once."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from memsum.reading import Reading
from memsum.server.errors import Refusal, too_late

# What an encoded sentence holds in memory, about: five vectors of 200 numbers, its text, its scores at 30 steps.
_SENTENCE_BYTES = 6_000


@dataclass
class Kept:
    """A reading, the name of its file and, if that was a PDF, the file; one thread at a time may use it."""

    reading: Reading
    name: str
    pdf: bytes | None = field(default=None, repr=False)
    expires: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def weight(self) -> int:
        """Bytes it holds, about."""
        document = self.reading.document
        return len(self.pdf or b"") + 2 * len(document.text) + _SENTENCE_BYTES * len(document.sentences)


class Readings:
    """Readings by ids that cannot be guessed; the least recently used goes first, and each after its time."""

    def __init__(self, most_bytes: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._most_bytes = most_bytes
        self._clock = clock
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, kept: Kept) -> str:
        """Keep a reading; the id is all that gives access to it."""
        name = secrets.token_urlsafe(18)
        with self._lock:
            kept.expires = self._clock() + self.seconds
            self._kept[name] = kept
            self._drop()
        return name

    @contextmanager
    def use(self, name: str, deadline: float) -> Iterator[Kept]:
        """The reading of an id, for one thread at a time, or a Refusal."""
        with self._lock:
            self._drop()
            kept = self._kept.get(name)
            if kept is None:
                raise Refusal(404, "This document is not kept any more.", "Send it again.")
            kept.expires = self._clock() + self.seconds
            self._kept.move_to_end(name)
        if not kept.lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise too_late(self.seconds)
        try:
            yield kept
        finally:
            kept.lock.release()

    def forget(self, name: str) -> None:
        """Drop a reading, if it is there."""
        with self._lock:
            self._kept.pop(name, None)

    def _drop(self) -> None:
        """Drop what is too old, and the oldest of what is too much; the newest stays."""
        now = self._clock()
        while self._kept and next(iter(self._kept.values())).expires < now:
            self._kept.popitem(last=False)
        held = sum(kept.weight for kept in self._kept.values())
        while held > self._most_bytes and len(self._kept) > 1:
            held -= self._kept.popitem(last=False)[1].weight

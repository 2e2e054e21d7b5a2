"""A relay between a browser and a server that keeps every byte the browser receives."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Recorder:
    """Listens on a port of its own, and passes all on to another."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.received = bytearray()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                browser, _ = self._listening.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._target))
            for source, sink, keep in ((browser, server, False), (server, browser, True)):
                threading.Thread(target=self._pass, args=(source, sink, keep), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, keep: bool) -> None:
        try:
            while data := source.recv(65536):
                if keep:
                    self.received += data
                sink.sendall(data)
        except OSError:
            pass
        finally:
            for end in (source, sink):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)  # which a close does not do while the other thread still reads
                end.close()

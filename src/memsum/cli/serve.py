"""`memsum serve`: the HTTP API and the web page."""

from __future__ import annotations

import logging
from typing import Annotated

import typer

from memsum.cli.console import say
from memsum.cli.options import Model


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8000,
    workers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Documents at a time, one core each.", show_default="the cores, up to 4"),
    ] = None,
    queue: Annotated[
        int, typer.Option(min=0, metavar="N", help="Requests that may wait; further ones are refused (429).")
    ] = 32,
    timeout: Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="Request timeout (503).")] = 60.0,
    max_size: Annotated[float, typer.Option(min=0.001, metavar="MB", help="Largest request (413).")] = 20.0,
    token: Annotated[
        str | None,
        typer.Option(envvar="MEMSUM_TOKEN", help="Require this bearer token; best set in the environment."),
    ] = None,
    access_log: Annotated[
        bool, typer.Option("--access-log", help="Log a line about each request to stderr: none of its text.")
    ] = False,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    model: Model = "default",
) -> None:
    """Serve summaries over HTTP, with a web page to paste or drop documents on.

        memsum serve

        curl -F file=@paper.pdf -F sentences=5 http://127.0.0.1:8000/v1/summarize

    The API is described at /docs and /openapi.json, its Prometheus metrics at /metrics.
    """
    from memsum.errors import needs_extra
    from memsum.server.settings import Settings
    from memsum.server.sockets import MB, open_socket

    with needs_extra("serve", "The server"):
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    from memsum.server import app

    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    if access_log:
        logging.getLogger("memsum.access").setLevel(logging.INFO)
    size = round(max_size * MB)
    given = Settings() if workers is None else Settings(workers=workers)
    settings = Settings(
        workers=given.workers, queue=queue, seconds=timeout, bytes=size, held_bytes=8 * size, token=token or None
    )
    with open_socket(host, port) as opened:
        app.serve(model, settings, opened, say, open_page=open_page)

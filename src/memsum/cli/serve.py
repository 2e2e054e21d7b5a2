"""`memsum serve`, the HTTP API and the web page, and `memsum mcp`, for clients of the Model Context Protocol."""

from __future__ import annotations

import logging
from pathlib import Path
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
    from memsum.server.settings import MB, Settings, open_socket

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


def mcp(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FOLDER]...", help="Folders whose files may be read.", show_default="the working directory"
        ),
    ] = None,
    model: Model = "default",
) -> None:
    """Serve summaries and quotes to a client of the Model Context Protocol (MCP), over standard input and output.

        memsum mcp ~/papers ~/reports

    The client starts this command; its tools list the files, summarize a file or a text, or find what one says about
    questions. Files outside the folders are refused.
    """
    from memsum.errors import MemsumError
    from memsum.server.mcp import Folders, create_server
    from memsum.summarizer import Summarizer

    if not folders:
        folders = [Path.cwd()]
        if folders == [Path(folders[0].anchor)]:
            raise MemsumError(
                "The working directory is the root of all files; they are not opened to a client by default.",
                "Name the folders that may be read: memsum mcp FOLDER",
            )
    allowed = Folders(folders)
    server = create_server(Summarizer.load(model), allowed)
    say(f"memsum reads files in {', '.join(map(str, allowed.paths))} for a client on standard input (Ctrl-C ends it).")
    server.run("stdio")

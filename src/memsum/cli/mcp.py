"""`memsum mcp`: summaries for the clients of the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memsum.cli.console import say
from memsum.cli.options import Model


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

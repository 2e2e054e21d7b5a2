"""The walk of `memsum FILE` through the code: the functions of memsum that its main process passes, in order.

    python benchmarks/walk.py [--names] [ARGUMENTS …]

Without arguments the file is `docs/demo/night-buses.md`. Prints the modules in the order in which they are first
entered, each with how many of its functions were (`--names`: and which); functions of one name in a module are one.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import sys
import threading
from pathlib import Path
from types import FrameType

DEMO = str(Path(__file__).parents[1] / "docs/demo/night-buses.md")
walk: dict[str, dict[str, None]] = {}  # names of functions by their module, both in the order of their first call


def note(frame: FrameType, event: str, _: object) -> None:
    module = str(frame.f_globals.get("__name__"))
    if event == "call" and module.partition(".")[0] == "memsum" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        walk.setdefault(module, {})[frame.f_code.co_name] = None  # (bodies of modules and classes are not optimized)


if __name__ == "__main__":
    names = "--names" in sys.argv
    sys.argv = ["memsum", *([argument for argument in sys.argv[1:] if argument != "--names"] or [DEMO])]
    threading.setprofile(note)
    sys.setprofile(note)
    from memsum.cli import main

    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main()
    sys.setprofile(None)
    print(*(f"{len(of):4}  {at}{': ' + ', '.join(of) if names else ''}" for at, of in walk.items()), sep="\n")
    print(f"{sum(map(len, walk.values())):4}  functions in {len(walk)} modules")

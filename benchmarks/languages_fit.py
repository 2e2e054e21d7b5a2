"""Learn the choice of sentences in any language that ships in the package (`memsum_train.learning.neutral`).

    python benchmarks/languages_fit.py CORPUS... [--keys KEYS.jsonl FOLDER] [--out neutral.safetensors] [--limit 600]

CORPUS holds papers or reports, `*.jsonl[.zst]` with "title", "abstract" and "sections" of paragraphs, KEYS.jsonl the
points that readers must know of the documents in FOLDER.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from memsum_train.learning.neutral import fit_neutral


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--keys", nargs=2, type=Path, metavar=("KEYS", "FOLDER"))
    parser.add_argument("--out", type=Path, default=Path("neutral.safetensors"))
    parser.add_argument("--limit", type=int, default=600, help="documents of each corpus")
    parser.add_argument("--seed", type=int, default=0)
    fit_neutral(**vars(parser.parse_args()), report=partial(print, flush=True))


if __name__ == "__main__":
    main()

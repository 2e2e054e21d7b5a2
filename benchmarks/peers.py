"""memsum beside the extractive summarizers people use: the same sentences, as many words, in one run.

    python3 -m venv sumy && sumy/bin/pip install sumy numpy
    python3 -m venv sbert && sbert/bin/pip install sentence-transformers
    python benchmarks/peers.py CORPUS.jsonl... --keys KEYS.jsonl DOCUMENTS \
        --sumy sumy/bin/python --sbert sbert/bin/python --encoder FOLDER [--memsum .venv-package/bin/python]

Each system runs in a process of its own, with its own packages, on one core. memsum decides the length; the others have
the words of its summary of the same document: LexRank, TextRank, LSA and Lead the first sentences of their ranking that
come nearest, SBERT (k-means of sentence vectors and the sentence next to each center, as in bert-extractive-summarizer,
which runs with no present version of transformers; FOLDER holds all-MiniLM-L6-v2) as many clusters as sentences of
average length would need.

A corpus has lists of sentences and human summaries, scored by ROUGE. KEYS.jsonl has the points that a reader must know
of each file in DOCUMENTS, scored by the share that the quotes convey; memsum gets the file, the others its sentences.
Some of the documents are held out, and memsum's value for readers is learned anew from the rest.

--memsum names a Python with memsum alone, as `make package` makes one, so that its size is right. Time is CPU time per
document once everything is loaded, memory the peak of the process, size what is installed. Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Sentences = list[str]
Job = dict[str, Any]  # text: sentences; words: of memsum's summary; file: where they come from, if from a file


def cut(ranking: list[int], text: Sentences, words: int) -> list[int]:
    """The first sentences of a ranking that come nearest to a number of words."""
    chosen: list[int] = []
    total = 0
    for index in ranking:
        own = len(text[index].split())
        if chosen and abs(total + own - words) > abs(total - words):
            break
        chosen.append(index)
        total += own
    return sorted(chosen)


class Memsum:
    def __init__(self, model: str) -> None:
        from memsum import Summarizer

        self.summarizer = Summarizer.load(model, threads=1)

    def choose(self, job: Job) -> list[int]:
        source = Path(job["file"]) if "file" in job else job["text"]
        return sorted(quote.index for quote in self.summarizer.summarize(source, language="en"))


class Lead:
    def __init__(self, _: str) -> None:
        pass

    def choose(self, job: Job) -> list[int]:
        return cut(list(range(len(job["text"]))), job["text"], job["words"])


class Sumy:
    """LexRank, TextRank and LSA of sumy, with its stemmer and stop words."""

    def __init__(self, method: str) -> None:
        from importlib import import_module

        from sumy.nlp.stemmers import Stemmer
        from sumy.utils import get_stop_words

        module = import_module(f"sumy.summarizers.{method}")
        names = {"lex_rank": "LexRankSummarizer", "text_rank": "TextRankSummarizer", "lsa": "LsaSummarizer"}
        self.summarizer = getattr(module, names[method])(Stemmer("english"))
        self.summarizer.stop_words = get_stop_words("english")

    def choose(self, job: Job) -> list[int]:
        from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence

        text: Sentences = job["text"]
        sentences = [Sentence(sentence, _Words()) for sentence in text]
        indices = {id(sentence): index for index, sentence in enumerate(sentences)}
        document = ObjectDocumentModel([Paragraph(sentences)])
        return cut([indices[id(sentence)] for sentence in self._ranking(document)], text, job["words"])

    def _ranking(self, document: Any) -> list[Any]:
        """All sentences, best first: what sumy sorts by before it takes some of them."""
        rated: list[tuple[float, Any]] = []

        def keep(sentences: Any, count: Any, rating: Any, *args: Any, **kwargs: Any) -> tuple[()]:
            rate = rating if callable(rating) else rating.__getitem__
            rated.extend((rate(sentence, *args, **kwargs), sentence) for sentence in sentences)
            return ()

        self.summarizer._get_best_sentences = keep
        self.summarizer(document, 1)
        return [sentence for _, sentence in sorted(rated, key=lambda pair: -pair[0])]


class _Words:
    """sumy's tokenizer needs data that is downloaded; words are words."""

    def to_words(self, sentence: str) -> tuple[str, ...]:
        import re

        return tuple(re.findall(r"[^\W\d_]+", sentence.lower()))


class Sbert:
    """Sentence vectors, clustered; of each cluster the sentence next to its center."""

    def __init__(self, folder: str) -> None:
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(1)
        self.model = SentenceTransformer(folder, device="cpu")

    def choose(self, job: Job) -> list[int]:
        from sklearn.cluster import KMeans

        text: Sentences = job["text"]
        average = sum(len(sentence.split()) for sentence in text) / len(text)
        count = min(len(text), max(1, round(job["words"] / average)))
        vectors = self.model.encode(text)
        distances = KMeans(count, random_state=12345, n_init="auto").fit_transform(vectors)  # (sentences, clusters)
        return sorted({int(index) for index in distances.argmin(axis=0)})


SYSTEMS: dict[str, Any] = {"memsum": Memsum, "Lead": Lead, "SBERT clusters": Sbert}
SUMY = {"LexRank (sumy)": "lex_rank", "TextRank (sumy)": "text_rank", "LSA (sumy)": "lsa"}


def work(system: str, argument: str) -> None:
    """Read jobs from standard input; write choices, CPU seconds of each, and peak memory."""
    peer = SYSTEMS.get(system, Sumy)(argument)
    jobs = [json.loads(line) for line in sys.stdin]
    peer.choose({"text": jobs[0]["text"][:20], "words": 60})  # what is loaded late is loaded now
    choices, seconds = [], []
    for job in jobs:
        started = time.process_time()
        choices.append(peer.choose(job))
        seconds.append(time.process_time() - started)
    status = Path("/proc/self/status").read_text()  # what getrusage says includes the process that started this one
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    print(json.dumps({"choices": choices, "seconds": seconds, "peak": peak}))


def run(python: str, system: str, argument: str, jobs: list[Job]) -> dict[str, Any]:
    one_core = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [python, __file__, "--work", system, argument],
        input="\n".join(json.dumps(job) for job in jobs),
        capture_output=True,
        text=True,
        env=os.environ | one_core,
    )
    if done.returncode:
        raise SystemExit(f"{system}: {done.stderr.strip().splitlines()[-1]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def installed_mb(python: str) -> float:
    """The size of an environment's packages, without pip."""
    command = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    folder = Path(subprocess.run([python, "-c", command], capture_output=True, text=True, check=True).stdout.strip())
    files = (f for top in folder.iterdir() if not top.name.startswith(("pip", "setuptools")) for f in top.rglob("*"))
    return sum(f.stat().st_size for f in files if f.is_file()) / 1e6


@dataclass(frozen=True)
class Documents:
    """Documents of one kind, and how their quotes are scored: one row of the columns' values for each."""

    name: str
    columns: tuple[str, ...]
    digits: int
    jobs: list[Job]
    score: Callable[[Sequence[Sentences]], Any]
    model: str = "default"  # that has not seen them


def with_summaries(path: Path, limit: int) -> Documents:
    """Read a corpus, scored by ROUGE against its human summaries."""
    from memsum_train.evaluation.data import load_data
    from memsum_train.rouge import score_many

    examples = load_data(str(path), None).examples
    examples = examples[:: max(1, len(examples) // limit)][:limit]
    summaries = [example.summary for example in examples]
    jobs: list[Job] = [{"text": list(example.text), "words": 0} for example in examples]
    columns = ("R-1", "R-2", "R-Lsum")
    name = f"{len(jobs)} documents of {path.name.split('.')[0]}"
    return Documents(name, columns, 1, jobs, lambda quotes: 100 * score_many(quotes, summaries)[:, (0, 1, 3), 2])


def with_keys(path: Path, folder: Path, limit: int, scratch: Path) -> Documents:
    """Hold out documents with keys, and write a model that learned from the others only."""
    import numpy as np

    from memsum.document import read_document
    from memsum.model import find_model, write_manifest
    from memsum.model.runtime import Runtime
    from memsum_train.corpus.keys import read_keys
    from memsum_train.learning.reader import read_keyed
    from readers import fit_like

    keys = list(read_keys(path))
    held_out = set(np.random.default_rng(7).permutation(len(keys))[:limit].tolist())
    default = find_model("default").folder
    runtime = Runtime.load(default)
    learned = fit_like(runtime, [read_keyed(key, folder, runtime) for i, key in enumerate(keys) if i not in held_out])
    shutil.copytree(default, scratch / "model")
    learned.save(scratch / "model")
    write_manifest(scratch / "model")
    tested = [key for i, key in enumerate(keys) if i in held_out]
    texts = [[s.text for s in read_document(folder / key.file, language="en").sentences] for key in tested]
    jobs: list[Job] = [
        {"text": text, "words": 0, "file": str(folder / key.file)} for key, text in zip(tested, texts, strict=True)
    ]

    def score(quotes: Sequence[Sentences]) -> Any:
        rows = [
            (key.conveyed(own).any(axis=0).mean(), key.low_value(own).mean())
            for key, own in zip(tested, quotes, strict=True)
        ]
        return np.array(rows)

    name = f"{len(jobs)} everyday documents, held out"
    return Documents(name, ("points", "low-value quotes"), 3, jobs, score, str(scratch / "model"))


def report(documents: Documents, systems: Sequence[tuple[str, str, str]]) -> None:
    """Run all systems and print a table."""
    from memsum_train.report.statistics import estimate_mean

    jobs = documents.jobs
    print(f"\n{documents.name}:\n")
    print(f"| system | {' | '.join(documents.columns)} | words | CPU ms per document | peak MB | installed MB |")
    print("|---|" + "---:|" * (len(documents.columns) + 4))
    for name, python, argument in systems:
        result = run(python, name, documents.model if name == "memsum" else argument, jobs)
        quotes = [[job["text"][i] for i in chosen] for job, chosen in zip(jobs, result["choices"], strict=True)]
        words = [sum(len(sentence.split()) for sentence in own) for own in quotes]
        if name == "memsum":
            for job, count in zip(jobs, words, strict=True):
                job["words"] = count
        cells = []
        for column in documents.score(quotes).T:
            interval = estimate_mean(column)
            low, mean, high = (
                f"{value:.{documents.digits}f}" for value in (interval.low, column.mean(), interval.high)
            )
            cells.append(f"{mean} ({low}–{high})")
        per_document = 1000 * sum(result["seconds"]) / len(jobs)
        size = "" if name == "Lead" else f"{installed_mb(python):.0f}"
        print(
            f"| {name} | {' | '.join(cells)} | {sum(words) / len(words):.0f} | {per_document:.1f} "
            f"| {result['peak']:.0f} | {size} |",
            flush=True,
        )


def main() -> None:
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:4])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", type=Path)
    parser.add_argument("--keys", nargs=2, type=Path, metavar=("KEYS", "DOCUMENTS"))
    parser.add_argument("--limit", type=int, default=60, help="documents of each, evenly spaced")
    parser.add_argument("--sumy", help="Python of an environment with sumy")
    parser.add_argument("--sbert", help="Python of an environment with sentence-transformers")
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2", help="sentence encoder of SBERT")
    parser.add_argument("--memsum", default=sys.executable, help="Python of an environment with memsum")
    arguments = parser.parse_args()
    systems = [("memsum", arguments.memsum, ""), ("Lead", arguments.memsum, "")]
    if arguments.sumy:
        systems += [(name, arguments.sumy, method) for name, method in SUMY.items()]
    if arguments.sbert:
        systems.append(("SBERT clusters", arguments.sbert, arguments.encoder))
    for corpus in arguments.corpora:
        report(with_summaries(corpus, arguments.limit), systems)
    if arguments.keys:
        with tempfile.TemporaryDirectory() as scratch:
            report(with_keys(*arguments.keys, arguments.limit, Path(scratch)), systems)


if __name__ == "__main__":
    main()

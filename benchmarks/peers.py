"""memsum beside the extractive summarizers people use: the same sentences, as many words, in one run.

    python3 -m venv sumy && sumy/bin/pip install sumy numpy
    python3 -m venv sbert && sbert/bin/pip install sentence-transformers
    python benchmarks/peers.py CORPUS.jsonl... --sumy sumy/bin/python --sbert sbert/bin/python --encoder FOLDER \
        [--memsum .venv-package/bin/python]

Each system runs in a process of its own, with its own packages, on one core, and gets lists of sentences. memsum
decides the length; the others have the words of its summary of the same document: of LexRank, TextRank, LSA and Lead
the first sentences of their ranking that come nearest, of SBERT (k-means of sentence vectors and the sentence next to
each centre, as in bert-extractive-summarizer, which runs with no present version of transformers; FOLDER holds
all-MiniLM-L6-v2) as many clusters as sentences of average length would need. --memsum names a Python with memsum
alone, as `make package` makes one, so that its size is right. Time is CPU time per document once everything is loaded,
memory the peak of the process, size what is installed. Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

Sentences = list[str]


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
    def __init__(self, _: str) -> None:
        from memsum import Summarizer

        self.summarizer = Summarizer.load(threads=1)

    def choose(self, text: Sentences, words: int) -> list[int]:
        return sorted(quote.index for quote in self.summarizer.summarize(text, language="en"))


class Lead:
    def __init__(self, _: str) -> None:
        pass

    def choose(self, text: Sentences, words: int) -> list[int]:
        return cut(list(range(len(text))), text, words)


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

    def choose(self, text: Sentences, words: int) -> list[int]:
        from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence

        sentences = [Sentence(sentence, _Words()) for sentence in text]
        indices = {id(sentence): index for index, sentence in enumerate(sentences)}
        document = ObjectDocumentModel([Paragraph(sentences)])
        return cut([indices[id(sentence)] for sentence in self._ranking(document)], text, words)

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
    """Sentence vectors, clustered; of each cluster the sentence next to its centre."""

    def __init__(self, folder: str) -> None:
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(1)
        self.model = SentenceTransformer(folder, device="cpu")

    def choose(self, text: Sentences, words: int) -> list[int]:
        from sklearn.cluster import KMeans

        average = sum(len(sentence.split()) for sentence in text) / len(text)
        count = min(len(text), max(1, round(words / average)))
        vectors = self.model.encode(text)
        distances = KMeans(count, random_state=12345, n_init="auto").fit_transform(vectors)  # (sentences, clusters)
        return sorted({int(index) for index in distances.argmin(axis=0)})


SYSTEMS: dict[str, Any] = {"memsum": Memsum, "Lead": Lead, "sbert": Sbert}
SUMY = {"LexRank (sumy)": "lex_rank", "TextRank (sumy)": "text_rank", "LSA (sumy)": "lsa"}


def work(system: str, argument: str) -> None:
    """Read documents from standard input, write choices, then CPU seconds and peak memory."""
    peer = SYSTEMS.get(system, Sumy)(argument)
    jobs = [json.loads(line) for line in sys.stdin]
    peer.choose(jobs[0]["text"][:20], 60)  # what is loaded late is loaded now
    started = time.process_time()
    choices = [peer.choose(job["text"], job["words"]) for job in jobs]
    seconds = time.process_time() - started
    status = Path("/proc/self/status").read_text()  # what getrusage says includes the process that started this one
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    print(json.dumps({"choices": choices, "seconds": seconds, "peak": peak}))


def run(python: str, system: str, argument: str, jobs: list[dict[str, Any]]) -> dict[str, Any]:
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


def main() -> None:
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:4])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--limit", type=int, default=50, help="documents of each corpus")
    parser.add_argument("--sumy", help="Python of an environment with sumy")
    parser.add_argument("--sbert", help="Python of an environment with sentence-transformers")
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2", help="sentence encoder of SBERT")
    parser.add_argument("--memsum", default=sys.executable, help="Python of an environment with memsum")
    arguments = parser.parse_args()

    from memsum.training.evaluation.data import load_data
    from memsum.training.report.statistics import estimate_mean
    from memsum.training.rouge import score_many

    examples = [e for corpus in arguments.corpora for e in load_data(str(corpus), arguments.limit).examples]
    jobs: list[dict[str, Any]] = [{"text": list(example.text), "words": 0} for example in examples]
    systems = [("memsum", arguments.memsum, ""), ("Lead", arguments.memsum, "")]
    if arguments.sumy:
        systems += [(name, arguments.sumy, method) for name, method in SUMY.items()]
    if arguments.sbert:
        systems.append(("sbert", arguments.sbert, arguments.encoder))
    print(f"{len(examples)} documents: {', '.join(corpus.name.split('.')[0] for corpus in arguments.corpora)}\n")
    print("| system | R-1 | R-2 | R-Lsum | words | CPU ms per document | peak MB | installed MB |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, python, argument in systems:
        result = run(python, name, argument, jobs)
        extracts = [[e.text[i] for i in c] for e, c in zip(examples, result["choices"], strict=True)]
        words = [sum(len(sentence.split()) for sentence in extract) for extract in extracts]
        if name == "memsum":
            for job, count in zip(jobs, words, strict=True):
                job["words"] = count
        scores = 100 * score_many(extracts, [example.summary for example in examples])[:, (0, 1, 3), 2]
        cells = []
        for column in scores.T:
            interval = estimate_mean(column)
            cells.append(f"{column.mean():.1f} ({interval.low:.1f}–{interval.high:.1f})")
        per_document = 1000 * result["seconds"] / len(examples)
        size = "" if name == "Lead" else f"{installed_mb(python):.0f}"
        print(
            f"| {'SBERT clusters' if name == 'sbert' else name} | {' | '.join(cells)} | {sum(words) / len(words):.0f} "
            f"| {per_document:.1f} | {result['peak']:.0f} | {size} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

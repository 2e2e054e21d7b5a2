"""High-ROUGE episodes: the extractions of a document that come closest to its summary, which training imitates.

The search is depth-first and greedy. From each partial summary it follows the `branching` sentences that most increase
the mean of ROUGE-1 and ROUGE-2 F1, if they increase it at all; where none brings more than 0.001, or at the maximum, an
episode ends. After `cap` episodes it stops, and episodes with the same set of sentences become one.

What the definition leaves open is settled so that an episode's score depends only on its *set* of sentences (training
shuffles their order):

- Bigrams of an extract are counted within its sentences, which are not neighbors; those of the summary over its
  running text.
- ROUGE-L, a third of a finished episode's score, is the summary-level one (ROUGE-Lsum), by which summaries of several
  sentences are evaluated.
- With a length penalty, sentences are compared by gain / words ** penalty, so that a long sentence must add more; an
  episode then ends where none of the sentences to be followed brings more than 0.001. Short sentences count as six
  words, or fragments of two or three would come first.
- Of sentences with the same gain the earlier is taken. Of episodes with the same set the first found is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memsum.batch.run import JobResult, Run
from memsum.errors import CorpusError, MissingExtraError
from memsum.settings import check_settings, setting
from memsum_train.corpus.convert import convert_corpus
from memsum_train.corpus.records import Example
from memsum_train.rouge.tokens import snowball

if TYPE_CHECKING:
    from memsum_train.rouge.kernels import NGrams

_SHORT = 6  # words that a sentence counts as at least, with a length penalty


@dataclass(frozen=True)
class Episode:
    """Sentences to extract, in the order in which the search took them, and the mean F1 of ROUGE-1, 2 and L."""

    indices: tuple[int, ...]
    score: float


@dataclass(frozen=True)
class EpisodeSearch:
    """Settings of the search."""

    branching: int = setting(2, "The paper's B: sentences tried from each partial summary.", ge=1)
    maximum: int = setting(7, "Sentences of an episode, at most.", ge=1)
    cap: int = setting(20, "Episodes of a document, at most.", ge=1)
    length_penalty: float = setting(0.0, "Sentences are compared by gain / words ** penalty.", ge=0, le=1)

    def __post_init__(self) -> None:
        check_settings(self, CorpusError)


def search_episodes(text: Sequence[str], summary: Sequence[str], **settings: Any) -> list[Episode]:
    """Search the high-ROUGE episodes of a document, best first; none if no sentence is enough like the summary.

    The settings are those of `EpisodeSearch`.
    """
    given = EpisodeSearch(**settings)
    from memsum_train.rouge import kernels

    ((ids, bounds), (reference, reference_bounds)), size = snowball().number(text, summary)
    if not len(ids) or not len(reference):
        return []
    ids, reference, ngrams = _index(ids, bounds, reference, size)
    costs = np.maximum(ngrams.lengths[:, 0], _SHORT).astype(np.float64) ** given.length_penalty
    paths, states = kernels.search_tree(
        ngrams, costs, min(given.branching, given.cap, len(text)), min(given.maximum, len(text)), given.cap
    )
    episodes: dict[frozenset[int], Episode] = {}
    for path, (unigrams, bigrams, length, pairs) in zip(paths.tolist(), states.tolist(), strict=True):
        indices = tuple(index for index in path if index >= 0)
        if (sentences := frozenset(indices)) not in episodes:
            starts, ends = bounds[list(indices)], bounds[1:][list(indices)]
            hits = kernels.union_lcs(ids, starts, ends, reference, reference_bounds, ngrams.words)
            rouge_1 = kernels.f1(unigrams, length, len(reference))
            rouge_2 = kernels.f1(bigrams, pairs, len(reference) - 1)
            rouge_l = kernels.f1(hits, length, len(reference))
            episodes[sentences] = Episode(indices, (rouge_1 + rouge_2 + rouge_l) / 3)
    return sorted(episodes.values(), key=lambda episode: -episode.score)


def add_episodes(source: str, output: str, search: EpisodeSearch, run: Run) -> JobResult:
    """Write a corpus file with the episodes of each document; those without any are kept, and flagged in the counts."""
    if not all(find_spec(module) for module in ("numba", "nltk")):
        raise MissingExtraError("Episode search", "train")
    return convert_corpus(partial(_search_anew, search), source, output, {"job": "episodes", **asdict(search)}, run)


def with_episodes(example: Example, search: EpisodeSearch) -> Example:
    """Search the episodes of an example that has none yet."""
    if example.indices is not None:
        return example
    found = search_episodes(example.text, example.summary, **asdict(search))
    indices, scores = tuple(e.indices for e in found), tuple(float(e.score) for e in found)
    return replace(example, indices=indices, scores=scores)


def _search_anew(search: EpisodeSearch, example: Example) -> Example:
    return with_episodes(replace(example, indices=None, scores=None), search)


def sentence_gains(
    text: Sequence[str], summary: Sequence[str], chosen: Sequence[int] | NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return what each sentence would add to the mean of ROUGE-1 and ROUGE-2 F1, as the search counts it.

    Row t of (len(chosen) + 1, len(text)) is after the first t of the chosen sentences; these have nothing to add.
    """
    from memsum_train.rouge import kernels

    ((ids, bounds), (reference, _)), size = snowball().number(text, summary)
    if not len(ids) or not len(reference):
        return np.zeros((len(chosen) + 1, len(text)))
    _, _, ngrams = _index(ids, bounds, reference, size)
    path = np.asarray(chosen, np.int64)
    gains = np.zeros((len(path) + 1, len(text)))
    for time, total in enumerate([np.zeros(4, np.int64), *kernels.hits_along(ngrams, path)]):
        more = np.concatenate([kernels.new_hits(ngrams, path[:time]), ngrams.lengths], axis=1)  # of each sentence
        after, now = (2 * x[..., :2] / np.maximum(x[..., 2:] + ngrams.totals, 1) for x in (total + more, total))
        gains[time] = (after - now).mean(axis=-1)
        gains[time, path[:time]] = 0
    return gains


def index_reference(text: Sequence[str], summary: Sequence[str]) -> NGrams | None:
    """Index the n-grams that sentences share with a summary; None if there are none to count."""
    ((ids, bounds), (reference, _)), size = snowball().number(text, summary)
    return _index(ids, bounds, reference, size)[2] if len(ids) and len(reference) else None


def _index(
    ids: NDArray[np.int32], bounds: NDArray[np.int64], reference: NDArray[np.int32], size: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NGrams]:
    """Return ids relative to the reference's words, and the n-grams that the sentences share with it."""
    from memsum_train.rouge import kernels

    ids, reference, words = kernels.relate(ids, reference, np.full(size, -1, np.int32))
    ngrams = kernels.index_ngrams(ids, bounds, *kernels.match_bigrams(ids, reference, words), reference, words)
    return ids, reference, ngrams

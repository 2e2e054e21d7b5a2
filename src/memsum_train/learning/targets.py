"""The last training of the policy: what readers must know of documents with keys, beside what it has learned.

The encoders stay as they are, so their states are computed once per document. What is learned is the part of the
columns in the states, and the layers that read what was quoted so far (`docs/method.md`).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from memsum.arrays import F32, Bools
from memsum.document import read_document
from memsum.errors import TrainingError
from memsum.features.columns import INPUTS, IS_ENGLISH, NO_NGRAMS, NGrams, columns_of, ngrams_of
from memsum.features.encoding import Signals, TextEncoder
from memsum.features.expected_length import LengthModel, describe
from memsum.features.source_text import Outline, SourceText
from memsum.model import ModelConfig, write_manifest
from memsum.model.runtime import Runtime
from memsum.select import Selection
from memsum_train.corpus.keys import Key
from memsum_train.corpus.records import Example
from memsum_train.learning.config import TargetSettings
from memsum_train.learning.learner import source_shares
from memsum_train.learning.objectives.counted import draw_near
from memsum_train.learning.signals import Lengths, Report, fit_length
from memsum_train.paper.episodes import index_reference
from memsum_train.policy import Policy
from memsum_train.policy.batch import join_ngrams
from memsum_train.policy.counted import HIDDEN, UNIGRAM, CountedExtractor, CountedNetwork, Judgment
from memsum_train.policy.export import export_policy
from memsum_train.policy.folder import load_policy, new_policy, save_policy, save_weights
from memsum_train.rouge.kernels import NGrams as Hits
from memsum_train.rouge.kernels import new_hits

Halves = NDArray[np.float16]

FEWEST, LONGEST = 8, 600  # sentences of a document of a corpus to learn from
_QUOTES, _GROWTH = 2.0, 0.37  # a reader wants about so many quotes of N sentences, times a power of N


_EACH, _POINTS = 1.5, 0.5  # weights of the two losses of points
_AGAIN = 0.1  # target of a second sentence on a quoted point
_LOW_VALUE = 16.0  # sentences that a low-value one counts as
_RANKS = 1.3, 0.7  # weights of the first and of the last point
_BASE = 1.3  # log-odds that a sentence conveys no point
_BARE = 0.7  # share of the documents without words that are shown without structure
_EMPTY = 0.4  # share of the states in which nothing is quoted
_MOST = 8  # quotes of a state
_SPREAD = 0.7  # of the ratings before, by which states are drawn
_SHARPNESS, _LEAST_WORDS = 10.0, 8  # of the gains per word; words that a gain is divided by, at least
_KEPT, _GAIN = 2.0, 0.1  # weights of the ratings, and of the gains, that are kept
_STEADY = 1e-3  # standard deviation of a column that hardly differs
_FLOOR = -1e4


@dataclass
class View:
    """A document as the policy reads it, by its words or by its form."""

    states: F32  # (N, HIDDEN) of the network; zero where words mean nothing
    columns: Halves  # (N, INPUTS)
    known: F32  # (INPUTS,) 1 or 0
    signals: Signals
    lengths: F32  # (N,)
    penalty: F32  # (N,) of the rules
    ngrams: NGrams
    description: F32  # from which the length of its summary is expected


@dataclass
class Lesson:
    """A document to learn from: with a key, or of a corpus."""

    kind: str
    view: View
    foreign: Sequence[View]  # the same without its words: as it is, and as if nothing were known of its structure
    flat: Halves  # (N, INPUTS) columns if nothing were known of its paragraphs and lists
    hits: Hits | None = None  # what its sentences share with its summary
    points: Bools | None = None  # (N, P)
    poor: Bools | None = None  # (N,)
    first: F32 = field(default_factory=lambda: np.zeros(0, np.float32))  # ratings before training


def read_view(runtime: Runtime, source: SourceText, *, foreign: bool = False) -> View:
    """Read a document as the model does."""
    selection = Selection(runtime, source, foreign)
    read, lexicon, words = selection.read(0, len(source.sentences), source.title)
    text, penalties = read.encoded, runtime.config.penalties
    states, known = np.zeros((len(text), HIDDEN), np.float32), np.ones(INPUTS, np.float32)
    if words is not None:
        outputs = runtime.read(text, words)
        states, text = outputs["states"], runtime.with_contextual_salience(text, outputs)
    else:
        known[IS_ENGLISH] = 0
    assert text.signals is not None  # noqa: S101
    penalty = (
        np.float32(penalties.low_value) * read.low_value + np.float32(penalties.needs_context) * read.needs_context
    )
    described, ngrams = np.zeros(0, np.float32), NO_NGRAMS
    if words is not None:
        described, ngrams = describe(text, runtime.encoder, words), ngrams_of(text, read.outline, lexicon)
    lengths = read.lengths
    return View(
        states, columns_of(read, lexicon).astype(np.float16), known, text.signals, lengths, penalty, ngrams, described
    )


def read_key(runtime: Runtime, key: Key, source: SourceText) -> Lesson:
    """Read a document with a key."""
    lesson = read_example(runtime, key.kind, source)
    text = runtime.encoder.encode(source.sentences, source.sections, source.title)
    texts = [source.sentences[index] for index in text.indices]
    return replace(lesson, points=key.conveyed(texts), poor=key.low_value(texts))


def read_example(runtime: Runtime, kind: str, source: SourceText, summary: Sequence[str] = ()) -> Lesson:
    """Read a document of a corpus."""
    view, bare = read_view(runtime, source), SourceText.of_sentences(source.sentences)
    foreign = [read_view(runtime, one, foreign=True) for one in (source, bare)]
    if len(bare.sentences) > len(view.lengths):  # exact repeats are read once by their words
        foreign = []
    plain = replace(source, outline=Outline.of_headings(source.sections))
    hits = index_reference(source.sentences, summary) if foreign and summary else None
    return Lesson(kind, view, foreign, read_view(runtime, plain).columns, hits)


def learn_targets(
    folder: Path,
    keys: Sequence[Key],
    documents: Path,
    examples: Sequence[Example],
    lengths: Lengths,
    settings: TargetSettings,
    report: Report = lambda what, done, total: None,
) -> None:
    """Teach the model in a folder, which has its graphs, and write what it has learned there.

    It keeps what it knows of the examples; `lengths` are those of the corpora's summaries.
    """
    runtime = Runtime.load(folder, threads=1)
    keyed, corpora = [], []
    for number, key in enumerate(keys):
        report("reading documents with keys", number, len(keys))
        keyed.append(read_key(runtime, key, SourceText.of_documents([read_document(documents / key.file)])))
    for number, example in enumerate(examples):
        report("reading documents of corpora", number, len(examples))
        if FEWEST <= len(example.text) <= LONGEST:
            corpora.append(read_example(runtime, example.kind, example.source, example.summary))
    report("learning how long summaries are", 0, 0)
    # Documents with keys count twice: they are few, and of more kinds than all others.
    described = [lesson.view.description for lesson in keyed for _ in range(2)]
    words = np.log([key_words(lesson) for lesson in keyed for _ in range(2)], dtype=np.float32)
    both = np.concatenate([lengths.descriptions, described]), np.concatenate([lengths.logarithms, words])
    length = fit_length(Lengths(*both))
    for lesson in (*keyed, *corpora):
        expect(lesson.view, length)

    policy, encoder, config = load_policy(folder)
    network = new_policy(replace(policy.config, columns=True), encoder, settings.seed)
    network.load_state_dict(policy.state_dict(), strict=False)
    teacher = copy.deepcopy(extractor_of(network))
    for number in range(settings.rounds):
        what = f"learning what readers must know, round {number + 1} of {settings.rounds}"
        own = replace(settings, seed=settings.seed + number)
        fit_policy(extractor_of(network), keyed, corpora, own, partial(report, what), teacher)
    encoder.length = length
    save_taught(folder, network, replace(config, policy=network.config.to_dict()), encoder)


def save_taught(folder: Path, policy: Policy, config: ModelConfig, encoder: TextEncoder) -> None:
    """Write a policy that has learned from keys into a model folder, with its graphs."""
    save_policy(folder, policy, config, encoder)
    save_weights(folder, policy, torch.float16)
    export_policy(policy, folder, "int8")
    write_manifest(folder)


def extractor_of(policy: Policy) -> CountedExtractor:
    """Return the part of a network that learns from keys."""
    if not isinstance(policy, CountedNetwork):
        raise TrainingError("Only a model with a counted history learns from keys.", "Use the model default.")
    return policy.extractor


def key_words(lesson: Lesson) -> float:
    """Return the words of the summary that a reader wants of a document with a key."""
    assert lesson.points is not None  # noqa: S101
    lengths = lesson.view.lengths
    longest = [lengths[conveying].max() for conveying in lesson.points.T if conveying.any()]  # which is what is quoted
    each = float(np.mean(longest)) if longest else float(lengths.mean())
    return each * float(min(_QUOTES * len(lengths) ** _GROWTH, 1 + len(lengths) / 2))


def expect(view: View, length: LengthModel) -> None:
    """Let a document expect a summary of the length that the model says."""
    expected, spread = length.expect(view.description)
    view.signals = replace(view.signals, expected=expected, spread=spread)


def fit_policy(
    extractor: CountedExtractor,
    keyed: Sequence[Lesson],
    corpora: Sequence[Lesson],
    settings: TargetSettings | None = None,
    report: Callable[[int, int], None] = lambda done, total: None,
    teacher: CountedExtractor | None = None,
) -> None:
    """Teach an extractor both targets; its weights become the average of the path.

    What is kept is what the teacher, by default the extractor as it is, knows of the corpora.
    """
    settings = settings or TargetSettings()
    rng = np.random.default_rng(settings.seed)
    torch.manual_seed(settings.seed)
    teacher = copy.deepcopy(extractor if teacher is None else teacher).eval()
    layers = extractor.columns
    assert layers is not None  # noqa: S101
    with torch.no_grad():
        for lesson in (*keyed, *corpora):
            lesson.first = _rater(teacher, lesson.view)([])
    if not layers.center.any():
        views = [lesson.view for lesson in (*keyed, *corpora)]
        some = np.concatenate([one.columns[:: max(1, len(one.lengths) // 40)] for one in views], dtype=np.float32)
        deviation = some.std(axis=0)
        deviation[deviation < _STEADY] = 1
        layers.center, layers.scale = torch.from_numpy(some.mean(axis=0)), torch.from_numpy(deviation)
    encoders = (extractor.norm, extractor.hidden1, extractor.norm1, extractor.hidden2)
    for frozen in (*encoders, extractor.salience, extractor.stop):
        frozen.requires_grad_(False)
    ours = [weight for weight in layers.parameters() if weight is not layers.ngrams]
    known = {id(weight) for weight in (*ours, layers.ngrams)}
    others = [weight for weight in extractor.parameters() if weight.requires_grad and id(weight) not in known]
    groups: list[dict[str, Any]] = [
        {"params": ours, "lr": settings.rate, "weight_decay": settings.decay},
        {"params": [layers.ngrams], "lr": settings.ngram_rate, "weight_decay": settings.decay},
        {"params": others, "lr": settings.network_rate, "weight_decay": 1e-4},
    ]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.99))
    updates = settings.passes * math.ceil(len(keyed) / settings.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [g["lr"] for g in groups], total_steps=updates + 1)
    kinds = np.unique([one.kind for one in corpora], return_inverse=True)[1]
    shares = source_shares(kinds, 0.5) if corpora else np.zeros(0)  # a kind of n documents is drawn about √n times
    average = {name: weight.detach().clone() for name, weight in extractor.state_dict().items()}
    order: list[int] = []
    extractor.train()
    for update in range(updates):
        while len(order) < settings.batch:
            order += rng.permutation(len(keyed)).tolist()
        batch, order = [keyed[index] for index in order[: settings.batch]], order[settings.batch :]
        loss = _points_loss(extractor, batch, settings, rng)
        if corpora and settings.corpora:
            drawn = rng.choice(
                len(corpora), min(settings.corpora, len(corpora)), replace=False, p=shares / shares.sum()
            )
            loss = loss + settings.corpora_weight * _kept_loss(
                extractor, teacher, [corpora[i] for i in drawn], settings, rng
            )
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_([weight for group in groups for weight in group["params"]], 5.0)
        optimizer.step()
        schedule.step()
        share = min(settings.average, (1 + update) / (10 + update))
        for name, weight in extractor.state_dict().items():
            average[name].lerp_(weight, 1 - share)
        report(update + 1, updates)
    extractor.load_state_dict(average)
    extractor.requires_grad_(True).eval()


def full_states(extractor: CountedExtractor, view: View) -> Tensor:
    """Return the states of a document's sentences, in which the columns have their part, if they have one yet."""
    states = torch.from_numpy(view.states)
    if extractor.columns is None:
        return states
    columns, document = torch.from_numpy(view.columns).float(), torch.zeros(len(states), dtype=torch.long)
    known, ngrams = torch.from_numpy(view.known).expand_as(columns), tuple(map(torch.from_numpy, view.ngrams))
    full: Tensor = extractor.columns(states, columns, known, document, ngrams)
    return full


@torch.no_grad()
def play(extractor: CountedExtractor, view: View, count: int) -> list[int]:
    """Extract so many sentences."""
    rate, chosen, left = _rater(extractor, view), list[int](), np.ones(len(view.lengths), bool)
    while len(chosen) < min(count, len(left)):
        chosen.append(int(np.where(left, rate(chosen), -np.inf).argmax()))
        left[chosen[-1]] = False
    return chosen


def _rater(extractor: CountedExtractor, view: View) -> Callable[[list[int]], F32]:
    """Return what rates the sentences of a document in a state."""
    states, lengths = full_states(extractor.eval(), view), torch.from_numpy(view.lengths)

    def rate(state: list[int]) -> F32:
        novelty = torch.from_numpy(view.signals.novelty().after(state).features())
        return np.asarray(extractor(states, novelty, lengths).logits.numpy() - view.penalty, np.float32)

    return rate


def _judge(
    extractor: CountedExtractor,
    views: Sequence[View],
    columns: Sequence[Halves],
    states: Sequence[Sequence[list[int]]],
) -> tuple[Judgment, Sequence[Tensor], Sequence[Tensor]]:
    """Judge the sentences of some documents in some states each; also return ratings and what is left, by state."""
    layers = extractor.columns
    assert layers is not None  # noqa: S101
    sizes = [len(view.lengths) for view in views]
    starts = np.cumsum([0, *sizes])
    document = torch.from_numpy(np.repeat(np.arange(len(views)), sizes))
    known = torch.from_numpy(np.stack([view.known for view in views]))[document]
    network = torch.from_numpy(np.concatenate([view.states for view in views]))
    ngrams = join_ngrams([view.ngrams for view in views], starts)
    full = layers(network, torch.from_numpy(np.concatenate(columns)).float(), known, document, ngrams)
    each = [(number, state) for number, own in enumerate(states) for state in own]

    def of_rows(values: Iterable[NDArray[Any]]) -> Tensor:
        return torch.from_numpy(np.concatenate(list(values)))

    judgment = extractor(
        full[of_rows(np.arange(starts[number], starts[number + 1]) for number, _ in each)],
        of_rows(views[number].signals.novelty().after(state).features() for number, state in each),
        of_rows(views[number].lengths for number, _ in each),
    )
    ratings = judgment.logits - of_rows(views[number].penalty for number, _ in each)
    left = of_rows(np.isin(np.arange(sizes[number]), state, invert=True) for number, state in each)
    rows = [sizes[number] for number, _ in each]
    return judgment, torch.split(ratings, rows), torch.split(left, rows)


def _points_loss(
    extractor: CountedExtractor, lessons: Sequence[Lesson], settings: TargetSettings, rng: np.random.Generator
) -> Tensor:
    views = [_view(lesson, settings, rng) for lesson in lessons]
    states = [[_keyed_state(lesson, rng) for _ in range(settings.states)] for lesson in lessons]
    _, ratings, _ = _judge(extractor, views, [view.columns for view in views], states)
    each = [(lesson, state) for lesson, own in zip(lessons, states, strict=True) for state in own]
    return torch.stack([_point_loss(part, *one) for part, one in zip(ratings, each, strict=True)]).mean()


def _view(lesson: Lesson, settings: TargetSettings, rng: np.random.Generator) -> View:
    share = settings.foreign if lesson.points is None else settings.foreign_keys
    if not lesson.foreign or rng.random() >= share:
        return lesson.view
    return lesson.foreign[int(rng.random() < _BARE)]


def _keyed_state(lesson: Lesson, rng: np.random.Generator) -> list[int]:
    """Draw a state: nothing, some sentences of some points, or what the network likes, with noise."""
    assert lesson.points is not None  # noqa: S101
    count = len(lesson.points)
    if rng.random() < _EMPTY:
        return []
    size = min(int(rng.integers(1, _MOST)), count - 1)
    if rng.random() < 0.6:
        some = [int(rng.choice(np.flatnonzero(point))) for point in lesson.points.T if point.any()]
        some = rng.permutation(some).tolist()[:size]
        if rng.random() < 0.5:
            some += rng.integers(0, count, int(rng.integers(1, 4))).tolist()
        return list(dict.fromkeys(some))[: count - 1]
    return list(map(int, np.argsort(-(_SPREAD * lesson.first + rng.gumbel(size=count)))[:size]))


def _point_loss(ratings: Tensor, lesson: Lesson, state: list[int]) -> Tensor:
    """Return the loss of ratings (N,) in a state: of "conveys a point that is not quoted", and point by point."""
    assert lesson.points is not None and lesson.poor is not None  # noqa: PT018, S101
    points = lesson.points[:, lesson.points.any(axis=0)]
    left = np.ones(len(points), bool)
    left[state] = False
    quoted = points[state].any(axis=0)
    good = points[:, ~quoted].any(axis=1)
    again = points.any(axis=1) & ~good
    weights = torch.from_numpy(np.where(lesson.poor & ~points.any(axis=1), _LOW_VALUE, 1.0).astype(np.float32) * left)
    wanted = torch.from_numpy(good + np.float32(_AGAIN) * again)
    each = F.binary_cross_entropy_with_logits(ratings - _BASE, wanted.float(), reduction="none") * weights
    total: Tensor = _EACH * each.sum() / max(1, left.sum())
    open_points = points & left[:, None] & ~quoted
    which = open_points.any(axis=0)
    if which.any():
        ranks = torch.linspace(*_RANKS, points.shape[1])[torch.from_numpy(which)]
        best = torch.where(torch.from_numpy(open_points[:, which]), ratings[:, None], _FLOOR).logsumexp(dim=0)
        rest = torch.where(torch.from_numpy(~good & left), ratings + weights.clamp(min=1e-6).log(), _FLOOR).logsumexp(
            dim=0
        )
        total = total + _POINTS * (ranks * (torch.logaddexp(best, rest) - best)).mean()
    return total


def _kept_loss(
    extractor: CountedExtractor,
    teacher: CountedExtractor,
    lessons: Sequence[Lesson],
    settings: TargetSettings,
    rng: np.random.Generator,
) -> Tensor:
    """Return how far the choices, and what they are expected to bring, are from those of the network before."""
    views = [_view(lesson, settings, rng) for lesson in lessons]
    columns = [
        lesson.flat if view is lesson.view and hidden else view.columns
        for lesson, view, hidden in zip(lessons, views, rng.random(len(lessons)) < settings.unstructured, strict=True)
    ]
    states = [
        [draw_near(one.first, one.view.signals, one.view.lengths, rng).tolist() for _ in range(settings.states)]
        for one in lessons
    ]
    own, ratings, remaining = _judge(extractor, views, columns, states)
    wanted, gains, shares = [], [], []
    with torch.no_grad():
        for lesson, shown, of_document in zip(lessons, views, states, strict=True):
            view, network = lesson.view, full_states(teacher, lesson.view)
            for state in of_document:
                novelty = torch.from_numpy(view.signals.novelty().after(state).features())
                judged = teacher(network, novelty, torch.from_numpy(view.lengths))
                if shown is view or lesson.hits is None:
                    wanted.append(judged.logits - torch.from_numpy(view.penalty))
                else:
                    wanted.append(_gains(lesson.hits, state, view.lengths))
                gains.append(judged.gain)
                shares.append(judged.hits.sigmoid())
    kept = [
        F.kl_div(a[left].log_softmax(dim=0), b[left].log_softmax(dim=0), log_target=True, reduction="sum")
        for a, b, left in zip(ratings, wanted, remaining, strict=True)
    ]
    brought = F.binary_cross_entropy_with_logits(own.hits, torch.cat(shares))
    return _KEPT * torch.stack(kept).mean() + brought + _GAIN * F.mse_loss(own.gain, torch.cat(gains))


def _gains(hits: Hits, state: list[int], lengths: F32) -> Tensor:
    """Return what each sentence newly shares with the summary, per word, as logits."""
    new = new_hits(hits, np.array(state, np.int64))
    return torch.from_numpy(_SHARPNESS * (UNIGRAM * new[:, 0] + new[:, 1]) / np.maximum(lengths, _LEAST_WORDS)).float()

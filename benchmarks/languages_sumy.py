"""Rank sentences by sumy's methods, for `languages.py`; run by a Python that has sumy and need not have memsum.

Reads records {"language", "text": [sentences]} as JSON lines from standard input, and writes for each the order of the
sentences by each method.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from contextlib import suppress

import numpy as np
from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
from sumy.nlp.stemmers import Stemmer, null_stemmer
from sumy.summarizers.lex_rank import LexRankSummarizer
from sumy.summarizers.lsa import LsaSummarizer
from sumy.summarizers.luhn import LuhnSummarizer
from sumy.summarizers.text_rank import TextRankSummarizer
from sumy.utils import get_stop_words

METHODS = {"LexRank": LexRankSummarizer, "TextRank": TextRankSummarizer, "LSA": LsaSummarizer, "Luhn": LuhnSummarizer}
NAMES = {
    "de": "german",
    "es": "spanish",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "tr": "turkish",
    "zh": "chinese",
}
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


class Words:
    """Split sentences into words; into pairs of letters where no spaces are written."""

    def to_sentences(self, text: str) -> list[str]:
        return [text]

    def to_words(self, text: str) -> list[str]:
        words = re.findall(r"[^\W\d_]+", text)
        pairs = (
            [word[at : at + 2] for at in range(max(1, len(word) - 1))] if UNSPACED.search(word) else [word]
            for word in words
        )
        return [one for own in pairs for one in own]


def rank(method: str, language: str, sentences: list[str]) -> list[int]:
    """Return the sentences' indices in the order in which a method would take them."""
    name = NAMES.get(language, language)
    try:
        stemmer = Stemmer(name)
    except LookupError:
        stemmer = null_stemmer
    summarizer = METHODS[method](stemmer)
    with suppress(LookupError):
        summarizer.stop_words = get_stop_words(name)
    words = Words()
    model = ObjectDocumentModel([Paragraph([Sentence(sentence, words) for sentence in sentences])])
    ratings: dict[int, float] = {}

    def best(all_sentences, count, rating, *arguments, **keywords):  # type: ignore[no-untyped-def]
        rate = rating if callable(rating) else rating.__getitem__
        for index, sentence in enumerate(all_sentences):
            ratings[index] = float(rate(sentence, *arguments, **keywords))
        return ()

    summarizer._get_best_sentences = best
    with suppress(ValueError, ZeroDivisionError, np.linalg.LinAlgError):  # too few words for the method
        summarizer(model, len(sentences))
    return sorted(range(len(sentences)), key=lambda index: -ratings.get(index, 0.0))


def main() -> None:
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    for line in sys.stdin:
        record = json.loads(line)
        ranked = {method: rank(method, record["language"], record["text"]) for method in METHODS}
        print(json.dumps(ranked), flush=True)


if __name__ == "__main__":
    main()

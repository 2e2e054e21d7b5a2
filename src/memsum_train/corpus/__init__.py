"""Corpora: JSONL files of documents with summaries, how they are made, measured, and given episodes.

The search for episodes is in `episodes`; it needs the train extra, which is imported only where it runs.
"""

from memsum_train.corpus.records import BadLine, Example, read_corpus, read_examples, write_examples

__all__ = ["BadLine", "Example", "read_corpus", "read_examples", "write_examples"]

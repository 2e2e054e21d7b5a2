"""The long jobs on a Ray cluster, the user's or one on this machine: summaries of a batch, episodes of a corpus.

What is done with a document, and what is written, is decided in `batch` and `corpus`; here it is only shared out.
"""

from memsum.cluster.batches import RayEngine, run_batch
from memsum.cluster.connection import Pool, connect
from memsum.cluster.episodes import RayMap

__all__ = ["Pool", "RayEngine", "RayMap", "connect", "run_batch"]

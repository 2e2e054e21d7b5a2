"""Many documents on many cores: `run_batch` reads them, an engine does the work, and a journal makes it resumable.

The work on one document is in `work`, the same for the engine of this machine and for a cluster's.
"""

from memsum.batch.inputs import Folder, Input, find_input
from memsum.batch.run import Engine, LocalEngine, Options, Report, Task, run_batch
from memsum.batch.work import BatchSettings, Content, File, Outcome, Row, Worker

__all__ = [
    "BatchSettings",
    "Content",
    "Engine",
    "File",
    "Folder",
    "Input",
    "LocalEngine",
    "Options",
    "Outcome",
    "Report",
    "Row",
    "Task",
    "Worker",
    "find_input",
    "run_batch",
]

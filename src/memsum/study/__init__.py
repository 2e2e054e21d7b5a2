"""The blind human evaluation: people choose between two summaries without knowing whose they are.

A study is one SQLite file (`store`), made from documents and systems (`creating`) or from records of an earlier study
(`records`); `web` shows it to annotators, `report` says what they found. Nothing here summarises.
"""

from memsum.study.records import CRITERIA, Extract, Record, read_records
from memsum.study.store import Study, StudyError

__all__ = ["CRITERIA", "Extract", "Record", "Study", "StudyError", "read_records"]

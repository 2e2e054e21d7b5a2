"""The blind human evaluation: people choose between two summaries without knowing whose they are.

A study is one SQLite file (`store`), made from documents and systems (`plan`) or from records of an earlier study
(`records`); `web` shows it to annotators, `report` has their findings. Nothing here summarizes.
"""

"""The paper's tables and figures on any corpus; an experiment is a function `run(context) -> ExperimentReport`.

`run.EXPERIMENTS` lists them, and `paper.toml` holds their systems and the paper's figures. What they share (corpora,
trainings, summaries) is made once, by `Context`. Nothing here trains or scores by itself.
"""

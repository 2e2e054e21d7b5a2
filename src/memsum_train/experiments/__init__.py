"""The paper's tables and figures on any corpus; an experiment is a function `run(context) -> ExperimentReport`.

`run.EXPERIMENTS` lists them. What they share (corpora, trainings, summaries) is made once, by `Context`. Nothing here
trains or scores by itself: that is done in `training.learning` and `training.evaluation`.
"""

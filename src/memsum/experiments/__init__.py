"""The paper's tables and figures, made again on any corpus: each experiment is a function `run(context) -> Report`.

`run.EXPERIMENTS` lists them. What they share (corpora, trainings, summaries) is made once, by `Context`. Nothing here
trains or scores by itself: that is done in the rooms `training` and `evaluation`.
"""

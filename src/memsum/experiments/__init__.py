"""The paper's tables and figures, made again on any corpus; each experiment is a module with `run(context) -> Report`.

What experiments share (corpora, trainings, predictions) is made once, by `Context`. Nothing here trains or scores by
itself: that is done in the rooms `training` and `evaluation`.
"""

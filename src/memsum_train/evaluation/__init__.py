"""Evaluation: ROUGE with intervals, baselines, comparisons, and the search for where to stop.

A `systems.System` is measured: a model, a baseline, or a file of anyone's predictions. Nothing here learns. The modules
that run models (`playing`, `tuning`) need PyTorch and are imported only where they run.
"""

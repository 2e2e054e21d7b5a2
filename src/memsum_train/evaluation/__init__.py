"""Evaluation: ROUGE with intervals, baselines, comparisons, and the search for where to stop.

A `System` is measured: a model, a baseline, or a file of anyone's predictions. Nothing here learns. The modules that
run models (`playing`, `tuning`) need PyTorch and are imported only where they run.
"""

from memsum_train.evaluation.baselines import parse_baseline
from memsum_train.evaluation.data import Data, Prediction, load_data, make_data, read_predictions, write_predictions
from memsum_train.evaluation.measuring import Evaluation, SystemRun, evaluate, run_system
from memsum_train.evaluation.systems import ModelSystem, PredictionsFile, System

__all__ = [
    "Data",
    "Evaluation",
    "ModelSystem",
    "Prediction",
    "PredictionsFile",
    "System",
    "SystemRun",
    "evaluate",
    "load_data",
    "make_data",
    "parse_baseline",
    "read_predictions",
    "run_system",
    "write_predictions",
]

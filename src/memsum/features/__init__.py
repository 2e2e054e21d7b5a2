"""Inputs of the model: encoded sentences, counts, salience, novelty against what was quoted, expected length."""

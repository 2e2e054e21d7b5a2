"""The network of the default model: the paper's encoders with a count-based history.

`salience` scores words by the votes of their sentences, `extractor` scores sentences and stops, `network` is both.
"""

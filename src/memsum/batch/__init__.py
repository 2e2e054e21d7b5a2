"""Many documents: what they come from, who works on them, and what is written so that a killed run continues.

`corpus` and `batch` say what becomes of a document; here is how a million of them are read, shared out and kept.
"""

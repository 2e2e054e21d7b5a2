"""How numbers are reported, for every command alike: intervals and tests, tables, figures.

Nothing here knows what is measured; `evaluation`, `experiments`, `study`, `training` and `corpus` bring the numbers.
"""

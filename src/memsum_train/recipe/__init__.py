"""From raw corpora to a model folder in one command: a recipe's settings, its phases, and the run that resumes them."""

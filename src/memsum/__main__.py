"""`python -m memsum` is the command line (torchrun starts trainings this way)."""

from memsum.cli import main

if __name__ == "__main__":
    main()

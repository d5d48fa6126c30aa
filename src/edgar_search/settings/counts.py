"""Whole numbers in the arguments of both command lines."""

import argparse
import os

# Processes that a core could be shared by with any use; each takes some 80 MB.
WORKERS_OF_A_CORE = 16


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no whole number of at least 1")
    return int(text)


def workers(text: str) -> int:
    """A number of processes that work side by side, no more than this machine has use for."""
    number, most = positive(text), WORKERS_OF_A_CORE * (os.cpu_count() or 1)
    if number > most:
        raise argparse.ArgumentTypeError(
            f"{text} is more than {most}, {WORKERS_OF_A_CORE} for each core of this machine"
        )
    return number

"""Progress on long work: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from typing import Never, Self

from tqdm import tqdm

from ingest.loading.summary import Summary

# Plain lines come this many seconds apart, so that a log of an hour's load stays short.
LINE_INTERVAL = 5.0


class Progress:
    """Shows how many of `total` files are done, on standard error."""

    def __init__(self, total: int, summary: Summary) -> None:
        self._total = total
        self._summary = summary
        self._bar: tqdm[Never] | None = None
        self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._bar = tqdm(total=self._total, unit="file", file=sys.stderr)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def update(self) -> None:
        """Show where the load stands now."""
        if self._bar is not None:
            self._bar.update(self._summary.seen - self._bar.n)
            self._bar.set_postfix(refused=len(self._summary.refusals))
        elif time.monotonic() - self._last_line >= LINE_INTERVAL:
            self._last_line = time.monotonic()
            self._print_line()

    def _print_line(self) -> None:
        summary = self._summary
        print(
            f"{summary.seen} of {self._total} files: {summary.loaded} loaded,"
            f" {summary.unchanged} unchanged, {len(summary.refusals)} refused",
            file=sys.stderr,
            flush=True,
        )

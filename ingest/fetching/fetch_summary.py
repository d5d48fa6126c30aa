"""What a run that fetches did: counted as it goes, printed as JSON on the last line."""

from datetime import UTC, datetime
from typing import Any

from ingest.fetching.part_file import Download
from ingest.loading.summary import Summary


class FetchSummary:
    """Counts of one run: what was listed is the sum of known, fetched, pending and failed.

    `pending` are the accession numbers that EDGAR lists and does not give yet, `failed` those that
    it did not give in one piece; a later run tries them again. `elsewhere` says of how many that
    are pending another process with this home is fetching or loading the file. `slowest` is the
    longest time in seconds from being fetched to being searchable.
    """

    def __init__(self) -> None:
        self.load = Summary()
        self.listed = self.known = self.fetched = self.bytes = self.elsewhere = 0
        self.slowest = 0.0
        self.pending: list[str] = []
        self.failed: list[dict[str, str]] = []

    @property
    def complete(self) -> bool:
        """Whether all that was listed is loaded."""
        return not (self.pending or self.failed or self.load.refusals)

    def searchable(self, got: Download) -> None:
        """Note that a submission can be found from now on."""
        seconds = (datetime.now(UTC) - got.fetched_at).total_seconds()
        self.slowest = max(self.slowest, seconds)

    def join(self, other: "FetchSummary") -> None:
        """Add another run; what is pending or failed in the end is known to the caller only."""
        self.load.join(other.load)
        self.listed += other.listed
        self.known += other.known
        self.fetched += other.fetched
        self.bytes += other.bytes
        self.slowest = max(self.slowest, other.slowest)

    def as_dict(self) -> dict[str, Any]:
        """The summary, with that of the load in it."""
        return {
            "listed": self.listed,
            "known": self.known,
            "fetched": self.fetched,
            "pending": self.pending,
            "failed": self.failed,
            "bytes": self.bytes,
            "slowest": round(self.slowest, 2),
            **self.load.as_dict(0),
        }

    def line(self) -> str:
        """Where the run stands."""
        return (
            f"{self.listed} listed: {self.known} known, {self.fetched} fetched,"
            f" {self.load.loaded} loaded, {len(self.pending)} pending,"
            f" {len(self.failed)} failed, {len(self.load.refusals)} refused"
        )

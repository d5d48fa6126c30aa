"""Points in time: an index as it was when one was opened, for searches that follow each other."""

from typing import Any, NamedTuple

from msgspec import Struct


class Point(NamedTuple):
    """A point in time by Elasticsearch's id, which is there `seconds` after each search at it."""

    id: str
    seconds: int

    @property
    def body(self) -> dict[str, Any]:
        """What makes a search's body one at this point, and keeps it for longer."""
        return {"pit": {"id": self.id, "keep_alive": f"{self.seconds}s"}}


class OpenedPoint(Struct):
    """The reply to the opening of one."""

    id: str

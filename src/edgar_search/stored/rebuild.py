"""The index `rebuilds`."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

Stage = Literal["copying", "switching", "switched", "going back"]


class StoredRebuild(Struct, frozen=True, omit_defaults=True):
    """How far the rebuilding of one partition of one kind is; its id is `KIND.PARTITION`.

    `old` and `new` are names of indices, `new_id` tells the new one from another of its name.
    `copied` has for each shard of the old one up to which sequence number all has been copied.
    `taken` has for each shard of the new one up to which it had what was copied when it was put
    into use. `holder` has kept an index from writes since `blocked_at`: the old one while it is
    being switched, the new one while it is being gone back from.
    """

    stage: Stage
    old: str
    new: str
    new_id: str
    copied: dict[str, int] = {}
    taken: dict[str, int] = {}
    holder: str | None = None
    blocked_at: datetime | None = None

    @property
    def blocked(self) -> str | None:
        """The index that takes no writes by this; None where none."""
        if self.holder is None:
            return None
        return self.new if self.stage == "going back" else self.old

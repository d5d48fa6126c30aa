"""Elasticsearch's replies as Structs, down to the documents."""

import re
from functools import cache
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct, field

from edgar_search.errors import Conflict, EngineFault, EngineUnavailable, SearchTimedOut

H = TypeVar("H")
S = TypeVar("S")

# Elasticsearch's message when its memory for indexing has no room for an operation.
_NO_ROOM = re.compile(
    r"coordinating_and_primary_bytes=(?P<taken>[0-9]+),.*"
    r"(?P<stage>coordinating|primary)_operation_bytes=(?P<wanted>[0-9]+), max_\w+=(?P<most>[0-9]+)"
)
# Elasticsearch's status when a concurrent write came first.
CONFLICT = Conflict.status
# A proxy's page, or half a reply.
NO_REPLY = "the answer is not the search engine's, or was cut off"


class Total(Struct):
    value: int
    relation: str


class Hits(Struct, Generic[H]):
    hits: list[H]
    total: Total | None = None


class SourceHit(Struct, Generic[S]):
    """A hit with its document, or with the requested parts of it."""

    source: S = field(name="_source")


class SortedHit(Struct, Generic[S]):
    """A hit with its document, and its sort values in order."""

    source: S = field(name="_source")
    sort: list[Any] = []


class FieldsHit(Struct, Generic[S]):
    """A hit with the stored values of fields."""

    fields: S


class IdHit(Struct):
    """A hit by the id of its document."""

    id: str = field(name="_id")


class TopHits(Struct, Generic[H]):
    """The best hits of a bucket, or of a hit."""

    hits: Hits[H]


class Bucket(Struct):
    """A bucket of an aggregation, and its number of documents."""

    count: int = field(name="doc_count")


class KeyedBucket(Bucket):
    """A bucket of a value."""

    key: str


class Metric(Struct):
    """A number that an aggregation computes, in milliseconds since 1970 if it is a time.

    None if there are no documents; `text` is a time as text.
    """

    value: float | None = None
    text: str | None = field(name="value_as_string", default=None)


class Percentiles(Struct):
    """Percentiles by their names, such as `50.0`; None if there are no documents."""

    values: dict[str, float | None]


class Buckets(Struct, Generic[S]):
    """The buckets of an aggregation."""

    buckets: list[S]


class ShardCounts(Struct):
    total: int
    failed: int


class SearchReply(Struct, Generic[H]):
    """A reply to a search; partial ones are refused by `require_complete`."""

    timed_out: bool
    shards: ShardCounts = field(name="_shards")
    hits: Hits[H]
    aggregations: msgspec.Raw = msgspec.Raw()
    # True if a request with `terminate_after` reached that number of matches.
    terminated_early: bool = False
    suggest: msgspec.Raw = msgspec.Raw()

    @property
    def total(self) -> int:
        """The exact number of matches, which the request must ask for."""
        if self.hits.total is None or self.hits.total.relation != "eq":
            raise EngineFault("a total was used that was not asked for exactly")
        return self.hits.total.value


class ItemError(Struct):
    """The reason for which one of several items failed, by Elasticsearch's name."""

    type: str = ""
    reason: str = ""


class Stored(Struct, Generic[S]):
    """A document read by its id; if it does not exist, `found` is false and `source` is None."""

    id: str = field(name="_id")
    found: bool = False
    source: S | None = field(name="_source", default=None)
    seq_no: int = field(name="_seq_no", default=-1)
    primary_term: int = field(name="_primary_term", default=0)
    error: ItemError | None = None


class Placed(Stored[msgspec.Raw]):
    """A hit with its index, for kinds that have several."""

    index: str = field(name="_index", default="")


class MultiGetReply(Struct, Generic[S]):
    docs: list[Stored[S]]


class Explanation(Struct):
    """A query as one shard rewrites it."""

    explanation: str = ""


class Explanations(Struct):
    explanations: list[Explanation] = []


class SearchOutcome(Struct):
    """The error of one of several searches, or none."""

    error: ItemError | None = None


class MultiSearchReply(Struct):
    responses: list[msgspec.Raw]


class Routing(Struct):
    primary: bool = False


class SequenceNumbers(Struct):
    """The sequence numbers of a shard; every copy has all writes up to the global checkpoint."""

    global_checkpoint: int


class ShardCopy(Struct):
    routing: Routing
    seq_no: SequenceNumbers | None = None


class ShardStats(Struct):
    """An index and its shard copies, by their sequence numbers."""

    uuid: str
    shards: dict[str, list[ShardCopy]] = {}


class IndexStats(Struct):
    indices: dict[str, ShardStats] = {}


class BulkItem(Struct):
    """The outcome of one operation of a bulk request."""

    index: str = field(name="_index")
    id: str = field(name="_id")
    status: int
    error: ItemError | None = None
    seq_no: int = field(name="_seq_no", default=-1)
    primary_term: int = field(name="_primary_term", default=0)

    @property
    def conflict(self) -> bool:
        """True if a concurrent write came first, or the id is taken."""
        return self.error is not None and self.status == CONFLICT

    @property
    def blocked(self) -> bool:
        """True if the index takes no writes until an operator acts, for example on a full disk."""
        error = self.error
        return error is not None and is_blocked(self.status, error.type, error.reason)

    @property
    def busy(self) -> bool:
        """True if a retry may succeed: a queue was full, or a shard was not ready."""
        return self.error is not None and (self.status in (429, 503) or self.switching)

    @property
    def switching(self) -> bool:
        """True if its index takes no writes while another replaces it."""
        return self.error is not None and is_switching(self.error.reason)

    def never_fits(self, sent: int) -> bool:
        """Return True if a request of `sent` bytes is too large even for an idle engine."""
        return self.error is not None and never_fits(self.error.reason, sent)


# The settings of each requested index.
IndexSettings = dict[str, dict[str, dict[str, dict[str, str]]]]


class TimeRange(Struct):
    """A range; `to` is in milliseconds since 1970."""

    to: float


class TimeRanges(Struct):
    buckets: list[TimeRange]


class ServerTime(Struct):
    """An aggregation up to `now`, which reveals Elasticsearch's time."""

    past: TimeRanges


class BulkFlag(Struct):
    errors: bool


class BulkReply(Struct):
    items: list[dict[str, BulkItem]]


def is_blocked(status: int, kind: str, reason: str) -> bool:
    """Return True if a refusal is a block on an index that lasts until an operator acts.

    A 503 comes from a cluster that is starting, and a block on writes alone from an index that is
    being switched.
    """
    return kind == "cluster_block_exception" and status != 503 and not is_switching(reason)


def is_switching(reason: str) -> bool:
    """Return True if an index takes no writes while another replaces it."""
    return "FORBIDDEN/8/" in reason


def never_fits(reason: str, sent: int) -> bool:
    """Return True if a request is too large for the engine's memory even when that is idle.

    A node that takes a request and also indexes it counts the request and its operations, each at
    several times its size.
    """
    match = _NO_ROOM.search(reason)
    if match is None:
        return False
    taken_by_itself = sent if match["stage"] == "primary" and int(match["taken"]) >= sent else 0
    return int(match["wanted"]) + taken_by_itself > int(match["most"])


@cache
def _decoder(reply: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(reply)


def decode(data: bytes, reply: type[S]) -> S:
    """Decode a JSON reply.

    Raises EngineUnavailable if it is not JSON, and EngineFault if the JSON has another form.
    """
    try:
        decoded: S = _decoder(reply).decode(data)  # type: ignore[arg-type]
    except msgspec.ValidationError as error:
        raise EngineFault("the search engine's reply does not have the expected form") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise EngineUnavailable(NO_REPLY) from error
    return decoded


def require_complete(reply: SearchReply[H]) -> SearchReply[H]:
    """Return the reply if it is complete.

    Raises SearchTimedOut, and EngineUnavailable if a shard is missing.
    """
    # A short answer that looks complete is worse than an error.
    if reply.timed_out:
        raise SearchTimedOut("the search took too long; narrow it or try again later")
    if reply.shards.failed:
        raise EngineUnavailable("the search took too long; narrow it or try again later")
    return reply


def bulk_items_in(data: bytes) -> list[BulkItem]:
    """Return the reply to each operation of a bulk request, in order."""
    return [item for entry in decode(data, BulkReply).items for item in entry.values()]


def error_text(body: Any, name: str) -> str:
    """Return a field of the error in a reply, or `unknown` if it contains no such error."""
    try:
        return str(msgspec.json.decode(body)["error"][name])
    except (msgspec.MsgspecError, KeyError, TypeError, UnicodeDecodeError, RecursionError):
        return "unknown"


def stored_after_write(data: bytes, document: S) -> Stored[S]:
    """Return the document as stored, given the reply to its write."""
    reply = decode(data, Stored[msgspec.Raw])
    return Stored(reply.id, True, document, reply.seq_no, reply.primary_term)

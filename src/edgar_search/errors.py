"""The error tree.

    EdgarSearchError                500
    ├── BadRequest                  400
    ├── Unauthorized                401
    │   ├── NoBearerToken           401  the challenge of RFC 6750 without an error code
    │   └── InvalidBearerToken      401  the challenge with `invalid_token`
    ├── Forbidden                   403
    ├── NotFound                    404
    ├── Conflict                    409  (never leaves the service: a concurrent write came first)
    ├── Gone                        410
    │   ├── PositionGone            410  events after a position of the log were deleted
    │   └── SnapshotExpired         410  the view that a cursor reads is gone
    ├── ReadTooSlowly               408  (only the last record of an export, whose status is 200)
    ├── BodyTooLarge                413
    ├── UriTooLong                  414
    ├── TooManyRequests             429
    │   ├── RateExceeded            429  too many calls a second
    │   ├── StreamsAtOnce           429  the account has its share of open streams
    │   └── QuotaExceeded           429  the plan's calls of the month are used up
    ├── HeadersTooLarge             431
    ├── ClientGone                  499  (only in the log: nobody reads the answer)
    ├── Unavailable                 503
    │   ├── EngineUnavailable       503  Elasticsearch is away or overloaded
    │   │   ├── EngineNotReached    503  it takes no connections, or cut one
    │   │   ├── EngineTimedOut      503  it did not answer in time
    │   │   ├── IndexSwitching      503  an index takes no writes while another replaces it
    │   │   ├── EngineRefuses       503  it answers, and refuses until an operator acts
    │   │   └── SearchTimedOut      503  it gave up a search that took too long; counts as a call
    │   ├── StoredByOlderVersion    503  stored data lack it until an operator acts
    │   ├── TextChanging            503  a document is being loaded again at this moment
    │   ├── SearchesAtOnce          503  the account, or the service, has too many under way
    │   ├── SnapshotsAtOnce         503  the account, or the service, has too many open
    │   ├── PrintsAtOnce            503  the worker makes PDFs for others
    │   ├── ReadingsAtOnce          503  the worker reads documents for others
    │   ├── ReadingTimedOut         503  a document took too long, most likely on a busy machine
    │   ├── TooCostlyToRead         503  a document takes more time or memory than any may
    │   ├── PrintTimedOut           503  a PDF took too long, most likely on a busy machine
    │   ├── ArchiveUnavailable      503  the archive's object store is away
    │   │   └── ArchiveRefuses      503  it answers, and refuses until an operator acts
    │   └── FetchFailed             503  another server gave no usable answer
    │       └── EdgarUnavailable    503  (never leaves ingest: EDGAR is away, or refuses us)
    ├── EngineFault                 500  Elasticsearch refused what this code sent
    │   └── OperationTooLarge       500  (never leaves ingest: its memory has no room, ever)
    ├── SettingsError                    a setting has a value that cannot be used
    ├── MalformedSubmission              a file is not a complete EDGAR submission
    └── MalformedIndex                   a file is not an index file or feed of EDGAR's

The caller sees `str(error)`, so it never has a text of Elasticsearch's, a key or a token.
"""


class EdgarSearchError(Exception):
    """Any error that this project raises on purpose; `status` is its HTTP status."""

    status = 500


class BadRequest(EdgarSearchError):
    """The request is wrong; the message names the parameter and says what would be right."""

    status = 400


class Unauthorized(EdgarSearchError):
    """The request has no credential, or not a valid one."""

    status = 401


class NoBearerToken(Unauthorized):
    """The request has no bearer token; `challenge` is for the header `WWW-Authenticate`."""

    challenge = "Bearer"


class InvalidBearerToken(Unauthorized):
    """The bearer token is not valid here; `challenge` is for the header `WWW-Authenticate`."""

    challenge = 'Bearer error="invalid_token"'


class Forbidden(EdgarSearchError):
    """The credential is valid but does not give access to this endpoint."""

    status = 403


class NotFound(EdgarSearchError):
    """The requested resource does not exist."""

    status = 404


class NoSuchSection(NotFound):
    """A document has no section of this name, or the section has no position in its text."""


class Conflict(EdgarSearchError):
    """A concurrent write came first; the caller reads again and decides."""

    status = 409


class Gone(EdgarSearchError):
    """The requested resource existed, but is gone or has changed."""

    status = 410


class SnapshotExpired(Gone):
    """The unchanging view that a cursor reads is gone; the client must begin again."""

    def __init__(self) -> None:
        super().__init__(
            "cursor: its snapshot is closed: it expired, made room for others while it was idle,"
            " or its last page was read; begin again with cursor=*"
        )


class PositionGone(Gone):
    """Events after a position of the log were deleted because they were too old."""

    def __init__(self, position: int, floor: int) -> None:
        self.floor = floor
        super().__init__(
            f"after: events after the position {position} were deleted; the log begins at {floor}:"
            " begin again without `after`, and find what was missed by /v1/lookup"
        )


class ReadTooSlowly(EdgarSearchError):
    """The client of an export reads more slowly than it must."""

    status = 408

    def __init__(self, rate: int) -> None:
        super().__init__(
            f"the export was read slower than {rate:,} bytes a second: continue with `cursor`,"
            f" or ask for less"
        )


class BodyTooLarge(EdgarSearchError):
    """The request's body is longer than the service accepts."""

    status = 413


class UriTooLong(EdgarSearchError):
    """The request's path and query together are longer than the service accepts."""

    status = 414


class TooManyRequests(EdgarSearchError):
    """The account has no calls left for now; `retry_after` is in seconds."""

    status = 429

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class RateExceeded(TooManyRequests):
    """Too many calls in a second."""


class QuotaExceeded(TooManyRequests):
    """The plan's calls of the month are used up."""


class HeadersTooLarge(EdgarSearchError):
    """The request's headers together are longer than the service accepts."""

    status = 431


class ClientGone(EdgarSearchError):
    """The client closed the connection before its answer was ready."""

    status = 499


class Unavailable(EdgarSearchError):
    """Something that the service needs is away; `retry_after` is in seconds."""

    status = 503
    retry_after = 5


class EngineUnavailable(Unavailable):
    """Elasticsearch is away, overloaded, or too slow; waiting may help.

    `detail` is for the person who runs a command: the cause and the remedy.
    """

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class EngineNotReached(EngineUnavailable):
    """Elasticsearch accepts no connection, or cut one: it is down, or at another address."""

    def __init__(self, detail: str) -> None:
        super().__init__("the search engine is not reachable", detail)


class EngineTimedOut(EngineUnavailable):
    """Elasticsearch did not answer in time; `ours` is true if a setting bounds that time."""

    def __init__(self, seconds: float, *, ours: bool) -> None:
        remedy = "raise EDGAR_SEARCH_ES_TIMEOUT" if ours else "wait and run it again"
        super().__init__(
            f"the search engine did not answer within {seconds:g} s",
            f"if its cluster is only busy, {remedy}; else a node hangs, or the address drops"
            " requests",
        )


class IndexSwitching(EngineUnavailable):
    """An index takes no writes while another replaces it; its rebuild record names the process."""


class EngineRefuses(EngineUnavailable):
    """Elasticsearch refuses until an operator acts: no room, no rights, or not set up."""


class SearchTimedOut(EngineUnavailable):
    """Elasticsearch gave up a search that took too long, most likely because of its query."""


class StoredByOlderVersion(Unavailable):
    """Stored data lack a field until they are stored again; the message names the step."""


class TextChanging(Unavailable):
    """A document is being loaded again, and its parts are of different versions."""

    retry_after = 30

    def __init__(self, document_id: str) -> None:
        super().__init__(f"{document_id} is being loaded again; try again when that is done")


class SearchesAtOnce(Unavailable):
    """A search could not begin in time.

    `bound` is how many the account may run at once in this worker right now, if it has reached that
    number; None if searches of other accounts have taken the room.
    """

    retry_after = 1

    def __init__(self, bound: int | None) -> None:
        busy = (
            "the service is busy with searches of other accounts"
            if bound is None
            else f"too many searches at once; this account may run {bound} at a time now, and only"
            " a few may wait"
        )
        super().__init__(f"{busy}: try again after {self.retry_after} s")


class StreamsAtOnce(TooManyRequests):
    """No further stream can be opened; an account may have `bound` of them open in a worker."""

    def __init__(self, bound: int) -> None:
        super().__init__(
            f"too many streams at once; an account may have {bound} open in a worker: close one", 10
        )


class SnapshotsAtOnce(Unavailable):
    """No further snapshot can be opened; `retry_after` is the time until one may expire."""

    def __init__(self, bound: str, retry_after: int) -> None:
        super().__init__(
            f"snapshot: {bound} open snapshots at most; one closes when it is read to its end or"
            f" expires: try again"
            f" after {retry_after} s, or use a cursor without a snapshot"
        )
        self.retry_after = retry_after


class PrintsAtOnce(Unavailable):
    """The worker is busy making PDFs for others."""

    def __init__(self) -> None:
        super().__init__(
            f"other PDFs are being made, and an account has one at a time: try again after"
            f" {self.retry_after} s"
        )


class ReadingsAtOnce(Unavailable):
    """The worker is busy reading documents for others."""

    def __init__(self) -> None:
        super().__init__(
            f"other documents are being read, and an account has one at a time: try again after"
            f" {self.retry_after} s"
        )


class ReadingTimedOut(Unavailable):
    """A document was not read in time, though its process kept within its bounds."""

    retry_after = 30

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the document was not read after {seconds:g} s: try again later")


class TooCostlyToRead(Unavailable):
    """A document takes more time or memory to read than allowed; it is refused for a while."""

    retry_after = 3_600


class PrintTimedOut(Unavailable):
    """A PDF was not ready in time, though its processes kept within their bounds."""

    retry_after = 30

    def __init__(self, seconds: int) -> None:
        super().__init__(
            f"the PDF was not ready after {seconds} s: try again later, or ask for one document"
        )


class ArchiveUnavailable(Unavailable):
    """The object store of the archive is away or overloaded; waiting may help."""


class ArchiveRefuses(ArchiveUnavailable):
    """The object store refuses until an operator acts: no bucket, no rights, wrong credentials."""


class FetchFailed(Unavailable):
    """Another server gave no usable answer; the message names the server, not the full URL."""


class EdgarUnavailable(FetchFailed):
    """EDGAR gave no usable answer in any try, or will give none; the message says which."""


class EngineFault(EdgarSearchError):
    """Elasticsearch refused a request, which only a bug here explains."""


class OperationTooLarge(EngineFault):
    """Elasticsearch has no room for a request of this size, however often it is sent."""


class SettingsError(EdgarSearchError):
    """A setting has a value that cannot be used; the message names it."""


class MalformedSubmission(EdgarSearchError):
    """A file is not a complete EDGAR submission; the message says why."""


class MalformedIndex(EdgarSearchError):
    """A file is not an index file or feed of EDGAR's; the message names it."""


def error_message(error: EdgarSearchError) -> str:
    """Return an error's text for the person who runs a command, with cause and remedy."""
    if isinstance(error, EngineUnavailable) and error.detail:
        return f"{error}: {error.detail}"
    return str(error)

"""Which requests may go to another node after one that failed; pure.

What was not sent may, and so may what only reads. A write that may have been done is not repeated
here: whoever asked for it knows what a second time would do.
"""

from edgar_search.engine.elasticsearch_py import ApiError, NodeConnectionError
from edgar_search.engine.nodes import NOT_JOINED, NotReached
from edgar_search.engine.replies import error_text

# POST requests that change nothing which a second time would change again.
_READING = frozenset({"_search", "_msearch", "_mget", "_count", "_query", "query", "_refresh"})
_UNAVAILABLE = 503


def only_reads(method: str, path: str) -> bool:
    """Whether a second time does what the first did."""
    return method in ("GET", "HEAD") or path.rpartition("/")[2] in _READING


def may_be_repeated(error: Exception, reads: bool) -> bool:
    """Whether another node may answer a request that failed so, and asking it does no harm."""
    if isinstance(error, NodeConnectionError):
        return reads or isinstance(error, NotReached)
    if isinstance(error, ApiError) and error.status_code == _UNAVAILABLE:
        # A search whose node died on the way, or a node that takes nothing.
        return reads or error_text(error.body, "type") == NOT_JOINED
    return False

"""The time of a page by its two engine requests, each by itself, with and without marks."""

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from bench.peers.peer import Peer
from bench.peers.questions import Question
from bench.peers.wire import Wire
from edgar_search.api.search import search_params
from edgar_search.engine.index_names import read_alias
from edgar_search.search.query.body import HIT_FIELDS, page_body, score_query
from edgar_search.search.snippets.passages import Meant, leaves_body

_DEEPEST = 100_000
_JSON = {"Content-Type": "application/json"}


def page_shares(
    peer: Peer, wire: Wire, prefix: str, questions: list[Question], rounds: int
) -> dict[str, float]:
    """Return milliseconds of each part of a page, the mean of the questions' medians.

    `peer` makes the same two requests as are made here, so it must not look for closeness.
    """
    parts: dict[str, list[float]] = {}
    for question in questions:
        calls = _calls(wire, prefix, question)
        calls["page"] = partial(peer.search, question)
        for name, median in _medians(calls, rounds).items():
            parts.setdefault(name, []).append(median * 1_000)
    means = {name: statistics.fmean(medians) for name, medians in parts.items()}
    return {
        "first request": round(means["first"], 3),
        "second request, without marks": round(means["unmarked"], 3),
        "marks": round(means["second"] - means["unmarked"], 3),
        "service": round(means["page"] - means["first"] - means["second"], 3),
    }


def _calls(wire: Wire, prefix: str, question: Question) -> dict[str, Callable[[], object]]:
    params = search_params({"query": [question.query]}, _DEEPEST)
    tree = params.criteria.query
    assert tree is not None
    first = page_body(score_query(params, (), ()).query, params, HIT_FIELDS)
    reply = msgspec.json.decode(_send(wire, read_alias(prefix, "documents"), first))
    ids = [hit["fields"]["document_id"][0] for hit in reply["hits"]["hits"]]
    second = leaves_body(tree, Meant.all_of(tree, ids))
    unmarked = {name: value for name, value in second.items() if name != "highlight"}
    passages = read_alias(prefix, "passages")
    return {
        "first": lambda: _send(wire, read_alias(prefix, "documents"), first),
        "second": lambda: _send(wire, passages, second),
        "unmarked": lambda: _send(wire, passages, unmarked),
    }


def _send(wire: Wire, index: str, body: dict[str, Any]) -> bytes:
    return wire.ask("POST", f"/{index}/_search", msgspec.json.encode(body), _JSON)


def _medians(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds + 1):
        for name, call in calls.items():
            began = time.perf_counter()
            call()
            if number:  # the first makes connections
                times[name].append(time.perf_counter() - began)
    return {name: statistics.median(taken) for name, taken in times.items()}

"""The same Elasticsearch without this service: one index, the whole text in one field."""

import time
from collections.abc import Mapping
from typing import Any

import msgspec
import psutil

from bench.peers.peer import MARK, MARK_END, SNIPPET_CHARACTERS, TOP, Batch, Found
from bench.peers.questions import Question
from bench.peers.wire import Wire
from edgar_search.engine.bulk_lines import bodies, index
from edgar_search.search.query.matching import compile_tree
from ingest.loading.bulk import BODY_BYTES

MOST = 1_000_000
_JSON = {"Content-Type": "application/json"}
_SETTINGS = {
    "number_of_replicas": 0,
    "max_result_window": MOST,
    # Else one long document fails a whole page of results.
    "highlight.max_analyzed_offset": 50_000_000,
}
_OFFSETS = {"text": {"type": "text", "index_options": "offsets"}}


class ElasticsearchIndex:
    """An index with Elasticsearch's own mapping, or with offsets in the postings of its text."""

    served = True

    def __init__(
        self, wire: Wire, alias: str, engine: psutil.Process | None, *, offsets: bool
    ) -> None:
        self.name = (
            "Elasticsearch, offsets in postings" if offsets else "Elasticsearch, default index"
        )
        self.processes: Mapping[str, psutil.Process] = {"client": psutil.Process()}
        if engine:
            self.processes = {**self.processes, "Elasticsearch": engine}
        self.alias = alias
        self._wire = wire
        body: dict[str, Any] = {"settings": _SETTINGS, "aliases": {alias: {}}}
        if offsets:
            body["mappings"] = {"properties": _OFFSETS}
        self._ask("PUT", f"/{alias}-index", body)

    def build(self, batch: Batch) -> None:
        operations = (index(self.alias, d.document_id, d) for d in batch.texts)
        for body in bodies(operations, BODY_BYTES):
            headers = {"Content-Type": "application/x-ndjson"}
            reply = msgspec.json.decode(self._wire.ask("POST", "/_bulk", body, headers))
            assert not reply["errors"], reply
        self._ask("POST", f"/{self.alias}/_refresh")

    def search(self, question: Question) -> Found:
        reply = self._ask("POST", f"/{self.alias}/_search", search_body(question, TOP))
        hits = reply["hits"]["hits"]
        snippets = ["".join(hit.get("highlight", {}).get("text", [])) for hit in hits]
        return Found([hit["_id"] for hit in hits], reply["hits"]["total"]["value"], snippets)

    def matches(self, question: Question) -> set[str]:
        body = search_body(question, MOST, snippets=False) | {"_source": False}
        reply = self._ask("POST", f"/{self.alias}/_search", body)
        return {hit["_id"] for hit in reply["hits"]["hits"]}

    def size(self) -> int:
        stats = self._ask("GET", f"/{self.alias}/_stats/store")
        return int(stats["_all"]["primaries"]["store"]["size_in_bytes"])

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else msgspec.json.encode(body)
        return msgspec.json.decode(self._wire.ask(method, path, data, _JSON))


def search_body(question: Question, size: int, *, snippets: bool = True) -> dict[str, Any]:
    """A page of hits with its exact total, and a piece of the text of each."""
    asked = {"query": compile_tree(question.tree), "fields": ["text"], "default_operator": "OR"}
    filters: list[dict[str, Any]] = []
    if question.form_type:
        filters.append({"term": {"form_type.keyword": question.form_type}})
    days = {"gte": question.from_date, "lte": question.to_date}
    if any(days.values()):
        filters.append({"range": {"filing_date": {k: v for k, v in days.items() if v}}})
    body: dict[str, Any] = {
        "query": {"bool": {"must": [{"query_string": asked}], "filter": filters}},
        "size": size,
        "track_total_hits": True,
        "_source": {"excludes": ["text"]},
    }
    if snippets:
        field = {"fragment_size": SNIPPET_CHARACTERS, "number_of_fragments": 1}
        body["highlight"] = {"encoder": "html", "pre_tags": [MARK], "post_tags": [MARK_END]}
        body["highlight"]["fields"] = {"text": field}
    return body


def await_merges(wire: Wire) -> None:
    """Return once no merge is under way, or after two minutes."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        stats = msgspec.json.decode(wire.get("/_stats/merge"))
        if not stats["_all"]["total"]["merges"]["current"]:
            return
        time.sleep(1)

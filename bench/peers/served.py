"""Peers that are services: this one, and what one writes in an afternoon."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle
from typing import Any
from urllib.parse import urlencode

import msgspec
import psutil

from bench.loading import load_timed
from bench.peers.in_elasticsearch import MOST
from bench.peers.peer import TOP, Batch, Found
from bench.peers.questions import Question, Unable
from bench.peers.wire import Busy, Wire
from bench.service import RunningService, await_answer, ending, free_port
from edgar_search.search.language import EXACT
from edgar_search.settings import Settings

_MOST = 100  # items of a page


class Own:
    """This service, asked by an account for each thread; `build` loads submissions."""

    served = True

    def __init__(
        self,
        name: str,
        service: RunningService,
        wire: Wire,
        keys: Sequence[str],
        engine: psutil.Process | None,
        settings: Settings | None,
        size: Callable[[], int],
    ) -> None:
        """Without settings it is a second service over what the first has loaded."""
        self.name = name
        self.processes: Mapping[str, psutil.Process] = {
            "client": psutil.Process(),
            "service": service.process,
            **({"Elasticsearch": engine} if engine else {}),
        }
        self.size = size
        self._settings = settings
        self._wire = wire
        self._keys = cycle(keys)
        self._local = threading.local()
        # Where a load's time goes: CPU seconds of the last one by process.
        self.load_cpu: dict[str, float] = {}
        # How often it was too busy.
        self.refused = 0

    def build(self, batch: Batch) -> None:
        if self._settings is not None:
            _, family = load_timed(self._settings, batch.filings)
            self.load_cpu = {"loader": family.loader_cpu, "parsers": family.parsers_cpu}

    def search(self, question: Question) -> Found:
        reply = self._ask("/v1/search", question, limit=str(TOP))
        found = msgspec.json.decode(reply)
        items = found["items"]
        ids = [item["document_id"] for item in items]
        return Found(ids, found["total_count"], [item["snippet"] for item in items])

    def matches(self, question: Question) -> set[str]:
        page = msgspec.json.decode(self._ask("/v1/search", question, limit=str(_MOST)))
        if page["total_count"] <= _MOST:  # an export takes longer to begin
            return {item["document_id"] for item in page["items"]}
        lines = self._ask("/v1/export", question).splitlines()
        records = [msgspec.json.decode(line) for line in lines]
        assert records[-1].get("complete"), records[-1]
        return {record["document_id"] for record in records if "document_id" in record}

    def _ask(self, path: str, question: Question, **more: str) -> bytes:
        if not hasattr(self._local, "key"):
            self._local.key = next(self._keys)
        asked = {"query": question.query, "word_forms": question.word_forms}
        query = urlencode({**asked, **question.filters(), **more})
        while True:
            try:
                return self._wire.get(f"{path}?{query}", {"X-API-Key": self._local.key})
            except Busy as busy:
                # As a client that is well written; the time it waits is part of the search's.
                self.refused += 1
                time.sleep(busy.seconds)


class Afternoon:
    """FastAPI over the default index, which another peer fills."""

    name = "FastAPI over the default index"
    served = True

    def __init__(self, process: psutil.Process, wire: Wire, engine: psutil.Process | None) -> None:
        self.processes: Mapping[str, psutil.Process] = {
            "client": psutil.Process(),
            "service": process,
            **({"Elasticsearch": engine} if engine else {}),
        }
        self._wire = wire

    def build(self, batch: Batch) -> None:
        """Nothing: its index is there."""

    def search(self, question: Question) -> Found:
        found = self._ask(question, limit=str(TOP))
        items = found["items"]
        ids = [item["document_id"] for item in items]
        return Found(ids, int(found["total"]), [item["snippet"] for item in items])

    def matches(self, question: Question) -> set[str]:
        items = self._ask(question, limit=str(MOST), snippets="false")["items"]
        return {item["document_id"] for item in items}

    def size(self) -> int:
        return 0

    def _ask(self, question: Question, **more: str) -> dict[str, Any]:
        if question.word_forms != EXACT:
            raise Unable
        query = urlencode({"query": question.query, **question.filters(), **more})
        found: dict[str, Any] = msgspec.json.decode(self._wire.get(f"/search?{query}"))
        return found


@contextmanager
def running_afternoon(es_url: str, index: str) -> Iterator[tuple[psutil.Process, str]]:
    """Yield its process and where it answers, on a free port of the loopback interface."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "bench.peers.afternoon:app", "--port", str(port)]
    process = subprocess.Popen(
        command,
        env={**os.environ, "BENCH_ES_URL": es_url, "BENCH_INDEX": index},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    with ending(process):
        await_answer(f"{url}/docs", process)
        yield psutil.Process(process.pid), url

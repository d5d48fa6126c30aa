"""The cost of matching arrivals with triggers.

A batch of 1,000 arrivals against 5,000 triggers, other ways to restrict searches to a batch, the
lag at 10 filings a second, and an idle matcher.

`python -m bench.alerts` makes an installation of its own and removes it. Beside wall time it prints
the CPU time of this process and of Elasticsearch: a machine that others use has only those.
"""

import argparse
import asyncio
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import psutil

from bench.alert_costs import Bench
from bench.alert_lag import RATE, all_waiting, measure_lag
from bench.corpus import CORPUS, Extracted, extract
from bench.installation import engine_running, remove
from bench.loading import environment
from edgar_search.alerts.matcher import Matcher
from edgar_search.alerts.triggers import AlertTriggers, document_criteria
from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.engine import Engine
from edgar_search.engine.lease import Lease
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.query.body import document_query
from edgar_search.search.reverse_search import match_documents
from edgar_search.settings import Settings
from edgar_search.stored.events import PendingArrival
from edgar_search.stored.filters import DocumentFilters
from edgar_search.stored.user_items import StoredAlertTrigger
from edgar_search.text.words import tokens
from edgar_search.user_data.items import source
from ingest.indices.indices import Indices
from ingest.loading.session import load
from ingest.reading.prepare import prepare
from ingest.reading.tasks import PreparedSubmission, Task
from ingest.sources.paths import EVERYTHING, Sources

TRIGGERS, BATCH = 5_000, 1_000
FEW = 200  # triggers of a small installation
COMPARED = 1_000  # triggers with which the ways to restrict are compared
LAG_SECONDS, IDLE_SECONDS = 20, 10
# Nobody keeps a trigger that reports every tenth filing; this many of a batch is a lot.
MOST_MATCHES = 10
SEED = 20261121


def made_triggers(documents: Sequence[Extracted], count: int) -> list[StoredAlertTrigger]:
    """Triggers as people have them: companies, also with words, rare phrases, forms in phrases."""
    chosen, now = random.Random(SEED), datetime.now(UTC)
    made = []
    for number in range(count):
        document = chosen.choice(documents)
        words = tokens(document.text)
        start = chosen.randrange(max(1, len(words) - 4))
        phrase = '"' + " ".join(words[start : start + 3]) + '"'
        cik = DocumentFilters(cik=(chosen.choice(document.ciks),)) if document.ciks else None
        form = DocumentFilters(form_type=(document.form_type.upper(),))
        word = " ".join(chosen.sample(sorted(set(words)), min(2, len(set(words)))))
        match number % 10:
            case 0 | 1 | 2 | 3 if cik:
                made.append(StoredAlertTrigger("x", now, word, cik))
            case 4 | 5 | 6:
                made.append(StoredAlertTrigger("x", now, phrase))
            case 7:
                made.append(StoredAlertTrigger("x", now, f"{word} {phrase}"))
            case 9 if cik:
                made.append(StoredAlertTrigger("x", now, None, cik))
            case _:
                made.append(StoredAlertTrigger("x", now, phrase, form))
    return made


async def measure_batch(bench: Bench, batch: Sequence[PendingArrival]) -> None:
    """Print what a whole batch costs, and beside it a plain msearch of the same searches."""
    lease = Lease(bench.engine, "alerts", "bench", 3_600)
    assert await lease.take()
    matcher = Matcher(bench.engine, bench.tickers, lease)
    triggers = await AlertTriggers(bench.engine).enabled()
    watched = [document_criteria(source(trigger).content) for trigger in triggers]
    ids = [arrival.document_id for arrival in batch]
    cost, _ = await bench.cost(partial(match_documents, bench.engine, watched, ids))
    print(f"{len(batch)} documents, {TRIGGERS} triggers, the matching alone: {cost}", flush=True)
    cost, (_, new) = await bench.cost(lambda: matcher.match(batch))
    made = f"{new} notifications"
    print(f"{len(batch)} arrivals, {TRIGGERS} triggers, {made}: {cost}", flush=True)
    await lease.release()


async def compare(bench: Bench, watched: Sequence[DocumentCriteria], ids: Sequence[str]) -> None:
    """Print what matching costs by several ways to restrict searches to a batch."""
    clauses = [document_query(each, []) for each in watched]
    await match_documents(bench.engine, watched, ids)
    ours, found = await bench.cost(lambda: match_documents(bench.engine, watched, ids))
    print(f"{len(watched)} triggers, {len(ids)} documents, {len(found.pairs)} matches")
    print(f"  named queries, as the matcher asks: {ours}")
    for most in (25, 100, 1_000):
        cost, again = await bench.cost(
            partial(match_documents, bench.engine, watched, ids, None, most)
        )
        assert len(again.pairs) == len(found.pairs)
        print(f"  {most} in a request: {cost}")
    terms = {"terms": {"document_id": list(ids)}}
    name = f"{bench.settings.prefix}lookup"
    await bench.engine.administer("PUT", f"/{name}", {"mappings": {"dynamic": False}})
    await bench.engine.administer("PUT", f"/{name}/_doc/1?refresh=true", {"ids": list(ids)})
    lookup = {"terms": {"document_id": {"index": name, "id": "1", "path": "ids"}}}
    ways: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
        "plain msearch, not restricted, size 0": lambda c: _page(c, None, 0),
        "plain msearch, not restricted, with ids": lambda c: _page(c, None, BATCH),
        "msearch, terms, size 0": lambda c: _page(c, terms, 0),
        "msearch, terms, with ids": lambda c: _page(c, terms, BATCH),
        "msearch, terms looked up in an index": lambda c: _page(c, lookup, BATCH),
    }
    for text, body in ways.items():
        cost, _ = await bench.cost(partial(_msearch, bench, [body(c) for c in clauses]))
        cpu = (ours.ours + ours.engine) / (cost.ours + cost.engine)
        print(f"  {text}: {cost}; ours is {cpu:.2f}x of its CPU, {ours.wall / cost.wall:.2f}x wall")
    await bench.engine.administer("DELETE", f"/{name}")


def _page(clause: dict[str, Any], only: dict[str, Any] | None, size: int) -> dict[str, Any]:
    return {
        "query": {"bool": {"must": [clause], "filter": [only] if only else []}},
        "size": size,
        "track_total_hits": size == 0,
        "stored_fields": "_none_",
        "docvalue_fields": ["document_id"],
    }


async def _msearch(bench: Bench, bodies: Sequence[dict[str, Any]]) -> None:
    for some in chunks(bodies, 100):
        await bench.engine.search_many("documents", some, msgspec.Raw)


def measure_idle(settings: Settings) -> None:
    """Print the CPU time of a matcher that has nothing to do."""
    command = [sys.executable, "-m", "edgar_search.cli", "alerts"]
    with subprocess.Popen(command, env=environment(settings)) as matcher:
        process = psutil.Process(matcher.pid)
        time.sleep(5)
        before = sum(process.cpu_times()[:2])
        time.sleep(IDLE_SECONDS)
        used = sum(process.cpu_times()[:2]) - before
        memory = process.memory_info().rss / 1e6
        matcher.terminate()
        status = matcher.wait()
    share = 100 * used / IDLE_SECONDS
    print(f"idle matcher: {share:.2f} % of a core, {memory:.0f} MB, ends with {status}", flush=True)


def prepared_submissions(settings: Settings, files: Sequence[Path]) -> list[PreparedSubmission]:
    """Return the submissions of these files, ready to be written."""
    outcomes = [
        prepare(Task(source, [], settings.prefix, "none", 20_000_000, None, EVERYTHING))
        for source in Sources(files)
    ]
    made = {o.accession_number: o for o in outcomes if isinstance(o, PreparedSubmission)}
    return list(made.values())


async def run(settings: Settings, corpus: Path, files: Sequence[Path]) -> None:
    """Everything, in one installation."""
    late, early = files[: RATE * LAG_SECONDS], files[RATE * LAG_SECONDS :]
    documents = extract(corpus)
    engine = Engine.from_settings(settings)
    bench = Bench(engine, settings)
    try:
        await remove(engine, settings.prefix)
        await Indices(engine, settings).set_up()
        await asyncio.to_thread(measure_idle, settings)
        with Sources(early) as sources:
            await load(engine, settings, sources, 2)
        waiting = await all_waiting(engine)
        ids = [arrival.document_id for arrival in waiting[:BATCH]]
        contents = await _rare(bench, made_triggers(documents, 4 * TRIGGERS), ids)
        arriving = await asyncio.to_thread(prepared_submissions, settings, late)
        half = len(arriving) // 2
        await bench.add_triggers(contents[:FEW])
        await measure_lag(bench, arriving[:half])
        await bench.add_triggers(contents)
        assert len(await AlertTriggers(engine).enabled()) == TRIGGERS
        watched = [document_criteria(content) for content in contents[:COMPARED]]
        await compare(bench, watched, ids)
        await measure_batch(bench, waiting[:BATCH])
        await measure_lag(bench, arriving[half:])
    finally:
        await remove(engine, settings.prefix)
        await engine.close()


async def _rare(
    bench: Bench, made: Sequence[StoredAlertTrigger], ids: Sequence[str]
) -> list[StoredAlertTrigger]:
    """Return triggers that match few of these documents."""
    await bench.engine.refresh("documents")
    found = await match_documents(bench.engine, [document_criteria(each) for each in made], ids)
    matches = Counter(pair.place for pair in found.pairs)
    rare = [each for place, each in enumerate(made) if matches[place] <= MOST_MATCHES]
    return rare[:TRIGGERS]


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of submissions")
    options = parser.parse_args()
    with engine_running("bench-alerts-") as settings, tempfile.TemporaryDirectory() as folder:
        ready = msgspec.structs.replace(settings, home=Path(folder), archive=False)
        files = sorted(p for p in options.corpus.iterdir() if p.suffix != ".jsonl")
        asyncio.run(run(ready, options.corpus, files))


if __name__ == "__main__":
    main()

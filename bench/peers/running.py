"""A run of all sizes that are wanted and not kept already."""

import asyncio
import os
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

from bench.peers.in_elasticsearch import await_merges
from bench.peers.installing import Opened, installed_for_peers
from bench.peers.machine import machine
from bench.peers.measuring import Groups, compared_all, loaded_into, timed_all, with_medians
from bench.peers.peer import Batch, Peer
from bench.peers.peers import all_peers
from bench.peers.questions import SEED, groups
from bench.peers.results import Run, Size, read, write
from bench.peers.shares import page_shares
from bench.peers.texts import Texts
from edgar_search.settings import Settings


class Wanted(NamedTuple):
    """The plan of a measurement: `copies` of the first `documents` of a folder (all: None).

    `generated` is the number of queries made of the texts, `rounds` how often the others are
    asked. All hits are compared of the first `compared` queries of a group (all: None). Sizes
    that `out` has of the same questions are kept, unless it is to be `fresh`.
    """

    corpus: Path
    copies: list[int]
    documents: int | None
    generated: int
    rounds: int
    out: Path
    fresh: bool = False
    compared: int | None = None


async def run_peers(settings: Settings, wanted: Wanted, folder: Path) -> Run:
    """Measure in an installation of its own, which is removed, as is the rest; `folder` is empty.

    Without a plan that has no limits as the default the service refuses what is asked.
    """
    with closing(await asyncio.to_thread(Texts, wanted.corpus, wanted.documents, folder)) as texts:
        asked = groups(texts, wanted.generated)
        queries = {name: [question.query for question in some] for name, some in asked.items()}
        run = Run({}, {}, len(texts), SEED, queries, [], wanted.compared)
        kept = None if wanted.fresh else read(wanted.out)
        if kept and run.same_questions(kept):
            run = kept
        if _still_to_run(run, wanted.copies):
            async with installed_for_peers(settings) as opened:
                await asyncio.to_thread(_measure, opened, wanted, folder, texts, asked, run)
    return run


def _measure(
    opened: Opened, wanted: Wanted, folder: Path, texts: Texts, asked: Groups, run: Run
) -> None:
    """Add every size to the run that is wanted and not there."""
    with ExitStack() as stack:
        peers, run.left_out = all_peers(opened, folder, stack)
        run.machine = machine(opened)
        have = 0
        for copies in _still_to_run(run, wanted.copies):
            batch = texts.batch(folder / f"filings-{copies}", range(have, copies))
            have = copies
            size = _measure_size(opened, peers, batch, asked, wanted)
            run.sizes = sorted([*run.sizes, size], key=lambda size: size.copies)
            write(wanted.out, run)


def _measure_size(
    opened: Opened, peers: list[Peer], batch: Batch, asked: Groups, wanted: Wanted
) -> Size:
    """Return measurements after the batch, the last of its copies, was added."""
    loads = [loaded_into(peer, batch) for peer in peers]
    await_merges(opened.wire)
    totals, answers = compared_all(peers, asked, wanted.compared)
    busy = round(os.getloadavg()[0], 2)
    taken = timed_all(peers, asked, answers, wanted.rounds)
    page = page_shares(peers[1], opened.wire, opened.settings.prefix, asked["ten"], wanted.rounds)
    timings = [samples.timing(*key) for key, samples in taken.items()]
    return Size(
        batch.copies,
        batch.all_documents,
        batch.all_characters,
        wanted.rounds,
        busy,
        loads,
        totals,
        with_medians(answers, taken),
        timings,
        page,
    )


def _still_to_run(run: Run, copies: list[int]) -> list[int]:
    kept = {size.copies for size in run.sizes}
    return [copy for copy in sorted(copies) if copy not in kept]

"""All of EDGAR on several nodes by simulation, out of what `python -m bench.made.growth` has kept.

`python -m bench.made.capacity` fits what an answer takes of processors to the first two corpora of
that run, predicts the last one, prints the prediction beside what was measured, and simulates
layouts of nodes and shards. Each node answers its searches in the order in which they come, on its
processors; an answer waits for the slowest shard. All files are in memory, and the network takes no
time.
"""

import heapq
import math
import statistics
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import msgspec

from bench.made.growth import CLIENTS, RESULTS, Growth, cut
from bench.markdown import table
from bench.sizing import CHARACTERS

SEED = 52
ANSWERS, WARM_UP = 4_000, 400
# Of a node of the layouts, and of the machine beside them that runs the service.
PROCESSORS = 16
NODES, YEARS, RECENT = (1, 3, 12), 33, 3
# With 58 billion characters of passages a shard reaches the 50 GB that docs/sizing.md allows.
SHARDS = {"34 shards for all years": 34, "a shard a year": YEARS, "four shards a year": 4 * YEARS}
# As many clients for each processor keep it busy.
_BUSY = 4
_FITTED = 2
_KIND = "generated queries"
_MS = 1_000.0


class Demand(NamedTuple):
    """The milliseconds of processors that an answer takes.

    `engine` is Elasticsearch's for one shard of `characters`, and grows with the shard by the power
    `exponent`; `service` is the service's, which does not grow. `spread` are the times of single
    queries by their median.
    """

    service: float
    engine: float
    exponent: float
    characters: float
    spread: Sequence[float]

    def of_shard(self, characters: float) -> float:
        """Return what Elasticsearch takes for a shard of this size."""
        return float(self.engine * (characters / self.characters) ** self.exponent)


class Layout(NamedTuple):
    """Shards of equal size, each on `copies` of the nodes, which have these processors each.

    The service has such a machine of its own if it is `apart`, else it runs on the first node.
    """

    nodes: int
    processors: int
    shards: int
    characters: float
    copies: int = 1
    apart: bool = True


class Served(NamedTuple):
    """Answers a second, and the milliseconds that half, and 99 of 100, do not exceed."""

    rate: float
    p50: float
    p99: float


class _Processors:
    """Processors that take tasks in the order in which they come."""

    def __init__(self, number: int) -> None:
        self._free = [0.0] * number

    @property
    def next_free(self) -> float:
        return self._free[0]

    def take(self, now: float, seconds: float) -> float:
        """Return when a task that comes now will have ended."""
        end = max(now, self._free[0]) + seconds
        heapq.heapreplace(self._free, end)
        return end


def main() -> None:
    """Print what was predicted beside what was measured, and the layouts."""
    growth = msgspec.json.decode(RESULTS.read_bytes(), type=Growth)
    print(errors_table(growth), "\n\n", layouts_table(fitted(growth)), sep="")


def fitted(growth: Growth) -> Demand:
    """Return the demand of generated queries, fitted to the first two corpora.

    Raises ValueError if the run had fewer.
    """
    names = list(growth.corpora)[:_FITTED]
    if len(names) < _FITTED:
        raise ValueError("a run of two corpora or more is needed: one=FOLDER ten=FOLDER")
    first, second = (growth.many[_KIND][name] for name in names)
    small, large = (growth.corpora[name].characters for name in names)
    exponent = math.log(second.engine_ms / first.engine_ms) / math.log(large / small)
    times = growth.times[_KIND][names[-1]]
    median = statistics.median(times)
    spread = [each / median for each in times]
    mean = statistics.mean(spread)
    # The mean of all answers is what was measured.
    spread = [each / mean for each in spread]
    service = statistics.mean([first.service_ms, second.service_ms])
    return Demand(service, first.engine_ms, exponent, small, spread)


def simulate(layout: Layout, demand: Demand, clients: int = CLIENTS, seed: int = SEED) -> Served:
    """Let clients ask one query after the other."""
    chance = Random(seed)
    nodes = [_Processors(layout.processors) for _ in range(layout.nodes)]
    service = _Processors(layout.processors) if layout.apart else nodes[0]
    of_shard = demand.of_shard(layout.characters / layout.shards) / _MS
    # When a client asks, and when the service sends a search on, with when it was asked.
    asks, searches = [0.0] * clients, list[tuple[float, float]]()
    times, ends = list[float](), list[float]()
    while len(times) < ANSWERS:
        if asks and (not searches or asks[0] <= searches[0][0]):
            asked = heapq.heappop(asks)
            sent = service.take(asked, demand.service / _MS)
            heapq.heappush(searches, (sent, asked))
            continue
        sent, asked = heapq.heappop(searches)
        seconds = of_shard * chance.choice(demand.spread)
        end = sent
        for shard in range(layout.shards):
            holders = [nodes[(shard + copy) % layout.nodes] for copy in range(layout.copies)]
            node = min(holders, key=lambda each: each.next_free)
            end = max(end, node.take(sent, seconds))
        times.append((end - asked) * _MS)
        ends.append(end)
        heapq.heappush(asks, end)
    kept, ends = times[WARM_UP:], sorted(ends)
    rate = len(kept) / (ends[-1] - ends[WARM_UP - 1])
    return Served(rate, cut(kept, 0.5), cut(kept, 0.99))


def errors_table(growth: Growth) -> str:
    """Return prediction and measurement for sixteen clients, for each corpus."""
    demand = fitted(growth)
    # The clients take their part of the same processors.
    first = next(iter(growth.corpora))
    clients = growth.many[_KIND][first].client_ms
    rows = []
    for name, loaded in growth.corpora.items():
        many = growth.many[_KIND][name]
        one = Layout(1, growth.processors, 1, loaded.characters, apart=False)
        served = simulate(one, demand._replace(service=demand.service + clients))
        engine = demand.of_shard(loaded.characters)
        rows.append(
            [
                name,
                f"{engine:.1f} / {many.engine_ms:.1f}",
                f"{served.rate:.0f} / {many.rate:.0f}",
                f"{served.rate / many.rate - 1:+.0%}",
                f"{served.p99:.0f} / {many.p99:.0f}",
            ]
        )
    heads = ["simulated / measured", "CPU ms of Elasticsearch", "answers a second", "error"]
    return table([*heads, "p99, ms"], rows)


def layouts_table(demand: Demand) -> str:
    """Return what nodes and shards do for all of EDGAR, and for the recent years of it."""
    rows = []
    for nodes in NODES:
        for name, shards in SHARDS.items():
            whole = Layout(nodes, PROCESSORS, shards, CHARACTERS, copies=min(nodes, 2))
            cells = _cells(whole, demand)
            # Years have indices of their own, so questions with dates ask fewer.
            if shards % YEARS == 0:
                share = RECENT / YEARS
                recent = whole._replace(
                    shards=round(shards * share), characters=whole.characters * share
                )
                cells += _cells(recent, demand)
            rows.append([str(nodes), name, *cells, *[""] * (4 - len(cells))])
    heads = []
    for asked in ("all years", f"{RECENT} years"):
        heads += [f"{asked}: p50 / p99, ms", "most answers a second"]
    return table(["nodes", "shards", *heads], rows)


def _cells(layout: Layout, demand: Demand) -> list[str]:
    """Return the times that sixteen clients see, and the rate at which all processors are busy."""
    few = simulate(layout, demand)
    many = simulate(layout, demand, clients=_BUSY * layout.processors * layout.nodes)
    return [f"{few.p50:.0f} / {few.p99:.0f}", f"{many.rate:.0f}"]


if __name__ == "__main__":
    main()

"""The simulation of nodes and shards: what can be said without it, it says too."""

import msgspec
import pytest

from bench.made.capacity import Demand, Layout, errors_table, fitted, simulate
from bench.made.growth import Growth, Loaded, Many

SMALL, LARGE = 1_000_000, 10_000_000
DEMAND = Demand(service=4.0, engine=8.0, exponent=0.5, characters=SMALL, spread=[1.0])
GROWTH = Growth(
    {"one": Loaded(10, SMALL), "ten": Loaded(100, LARGE), "hundred": Loaded(1_000, 10 * LARGE)},
    {"generated queries": {"one": [5.0, 15.0], "ten": [9.0, 27.0], "hundred": [20.0, 60.0]}},
    {
        "generated queries": {
            "one": Many(166.0, 90.0, 0, engine_ms=8.0, service_ms=4.0),
            "ten": Many(100.0, 150.0, 0, engine_ms=16.0, service_ms=4.0),
            "hundred": Many(60.0, 260.0, 0, engine_ms=29.0, service_ms=4.0),
        }
    },
    2,
    0.1,
)


def test_one_processor_answers_as_often_as_an_answer_fits_into_a_second() -> None:
    served = simulate(Layout(1, 1, 1, SMALL, apart=False), DEMAND)
    assert served.rate == pytest.approx(1000 / 12, rel=0.01)


def test_a_lonely_client_waits_for_the_service_and_the_slowest_node() -> None:
    layout = Layout(nodes=3, processors=1, shards=6, characters=6 * SMALL)
    assert simulate(layout, DEMAND, clients=1).p50 == pytest.approx(4.0 + 2 * 8.0)


def test_a_shard_takes_longer_by_the_exponent() -> None:
    assert DEMAND.of_shard(4 * SMALL) == pytest.approx(16.0)


def test_three_nodes_with_copies_answer_three_times_as_often_as_one() -> None:
    one = simulate(Layout(1, 2, 6, SMALL), DEMAND, clients=60)
    three = simulate(Layout(3, 2, 6, SMALL, copies=2), DEMAND, clients=60)
    assert three.rate / one.rate == pytest.approx(3, rel=0.05)


def test_the_demand_is_of_the_first_two_corpora_alone() -> None:
    demand = fitted(GROWTH)
    assert demand.of_shard(10 * LARGE) == pytest.approx(32.0)
    assert demand.spread == pytest.approx([0.5, 1.5])
    assert "| hundred | 32.0 / 29.0 |" in errors_table(GROWTH)


def test_one_corpus_is_not_enough() -> None:
    alone = msgspec.structs.replace(GROWTH, corpora={"one": GROWTH.corpora["one"]})
    with pytest.raises(ValueError, match="two corpora"):
        fitted(alone)

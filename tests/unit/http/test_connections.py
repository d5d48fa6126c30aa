"""The connections that a worker holds, their clients, and their end."""

from typing import Any

import pytest

from edgar_search.settings import Settings
from edgar_search.web.connections import MAX_LEAVING, Bounds, Connections

LIMIT = 20_000


class Fake:
    """A connection that remembers whether its time was over."""

    def __init__(self, deadline: float = 0.0) -> None:
        self.deadline = deadline
        self.expired: list[float] = []

    def expire(self, now: float) -> None:
        self.expired.append(now)


def bounds(descriptors: int = LIMIT, **settings: Any) -> Bounds:
    return Bounds.from_settings(Settings(**settings), descriptors)


def connections(**settings: Any) -> Connections:
    return Connections(bounds(**settings))


def admitted(held: Connections, *hosts: str | None) -> list[bool]:
    return [held.admit(Fake(), host) for host in hosts]


def test_address_has_its_part_and_others_have_theirs() -> None:
    held = connections(connections_per_address=2)
    hosts = ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]
    assert admitted(held, *hosts) == [True, True, False, True]
    assert held.turned_away == 1


def test_all_have_no_more_than_there_is() -> None:
    held = connections(connections=3)
    assert admitted(held, *[f"192.0.2.{n}" for n in range(4)]) == [True, True, True, False]


def test_closed_connection_makes_room() -> None:
    held = connections(connections_per_address=1)
    first = Fake()
    assert held.admit(first, "192.0.2.1")
    held.leave(first)
    assert admitted(held, "192.0.2.1") == [True]


def test_connection_that_had_no_room_takes_none_away_when_it_leaves() -> None:
    held = connections(connections_per_address=1)
    second = Fake()
    held.admit(Fake(), "192.0.2.1")
    held.admit(second, "192.0.2.1")
    held.leave(second)
    assert admitted(held, "192.0.2.1") == [False]


def test_network_of_one_ipv6_customer_counts_as_one_address() -> None:
    held = connections(connections_per_address=1)
    hosts = ["2001:db8:1:2::1", "2001:db8:1:2:3::1", "2001:db8:1:3::1"]
    assert admitted(held, *hosts) == [True, False, True]


def test_ipv4_address_in_an_ipv6_one_is_the_same() -> None:
    held = connections(connections_per_address=1)
    assert admitted(held, "::ffff:192.0.2.1", "192.0.2.1") == [True, False]


@pytest.mark.parametrize("host", ["192.0.2.9", "::ffff:192.0.2.9", None])
def test_proxies_and_local_sockets_are_not_counted_by_address(host: str | None) -> None:
    held = connections(connections_per_address=1, trusted_proxies="192.0.2.9")
    assert admitted(held, host, host, host) == [True, True, True]


@pytest.mark.parametrize(
    ("descriptors", "total", "each"),
    [(20_000, 1_000, 200), (1_128, 1_000, 200), (1_024, 896, 200), (256, 128, 64), (100, 50, 25)],
)
def test_bounds_are_below_the_descriptors_there_are(
    descriptors: int, total: int, each: int
) -> None:
    found = bounds(descriptors)
    assert (found.total, found.for_each_address) == (total, each)


def test_only_what_is_overdue_is_ended() -> None:
    held = connections()
    early, late = Fake(5.0), Fake(15.0)
    held.admit(early, None)
    held.admit(late, None)
    held.sweep(10.0)
    assert (early.expired, late.expired) == ([10.0], [])


def test_few_are_seen_off_at_once() -> None:
    held = connections()
    leaving = [Fake() for _ in range(MAX_LEAVING)]
    assert all(held.see_off(connection) for connection in leaving)
    assert not held.see_off(Fake())
    held.sweep(1.0)
    assert leaving[0].expired == [1.0]
    held.leave(leaving[0])
    assert held.see_off(Fake())

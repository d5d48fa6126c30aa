"""Room for large documents: in the order of asking, never more than there is."""

import threading
import time

import pytest

from ingest.reading.memory_budget import Closed, Room


def taking(room: Room, size: int, taken: list[int]) -> threading.Thread:
    """Take room in a thread that waits for it already."""

    def take() -> None:
        room.take(size)
        taken.append(size)

    thread = threading.Thread(target=take)
    thread.start()
    time.sleep(0.1)
    return thread


def test_what_fits_is_given_at_once() -> None:
    room = Room(10)
    for size in (4, 6):
        room.take(size)


def test_others_wait_in_their_order_also_the_small_ones() -> None:
    room, taken = Room(10), list[int]()
    room.take(6)
    threads = [taking(room, size, taken) for size in (8, 1, 2)]
    assert taken == []
    room.give_back(6)
    time.sleep(0.1)
    assert sorted(taken) == [1, 8]
    room.give_back(8)
    for thread in threads:
        thread.join(5)
    assert sorted(taken) == [1, 2, 8]


def test_more_than_there_is_goes_alone() -> None:
    room, taken = Room(10), list[int]()
    room.take(1)
    thread = taking(room, 50, taken)
    assert taken == []
    room.give_back(1)
    thread.join(5)
    other = taking(room, 1, taken)
    assert taken == [50]
    room.give_back(50)
    other.join(5)
    assert taken == [50, 1]


def test_close_sends_away_who_waits_and_who_comes() -> None:
    room, refused = Room(10), list[bool]()
    room.take(10)

    def take() -> None:
        with pytest.raises(Closed):
            room.take(5)
        refused.append(True)

    thread = threading.Thread(target=take)
    thread.start()
    time.sleep(0.1)
    room.close()
    thread.join(5)
    assert refused == [True]
    with pytest.raises(Closed):
        room.take(1)

"""Memory for large documents: in the order of asking, never more than there is."""

import threading
import time

import pytest

from ingest.reading.memory_budget import BudgetClosed, MemoryBudget


def taking(budget: MemoryBudget, size: int, taken: list[int]) -> threading.Thread:
    """Reserve memory in a thread that waits for it already."""

    def take() -> None:
        budget.reserve(size)
        taken.append(size)

    thread = threading.Thread(target=take)
    thread.start()
    time.sleep(0.1)
    return thread


def test_what_fits_is_given_at_once() -> None:
    budget, taken = MemoryBudget(10), list[int]()
    for thread in [taking(budget, size, taken) for size in (4, 6)]:
        thread.join(5)
    assert taken == [4, 6]


def test_others_wait_in_their_order_also_the_small_ones() -> None:
    budget, taken = MemoryBudget(10), list[int]()
    budget.reserve(6)
    threads = [taking(budget, size, taken) for size in (8, 1, 2)]
    assert taken == []
    budget.release(6)
    time.sleep(0.1)
    assert sorted(taken) == [1, 8]
    budget.release(8)
    for thread in threads:
        thread.join(5)
    assert sorted(taken) == [1, 2, 8]


def test_more_than_there_is_goes_alone() -> None:
    budget, taken = MemoryBudget(10), list[int]()
    budget.reserve(1)
    thread = taking(budget, 50, taken)
    assert taken == []
    budget.release(1)
    thread.join(5)
    other = taking(budget, 1, taken)
    assert taken == [50]
    budget.release(50)
    other.join(5)
    assert taken == [50, 1]


def test_close_sends_away_who_waits_and_who_comes() -> None:
    budget, refused = MemoryBudget(10), list[bool]()
    budget.reserve(10)

    def take() -> None:
        with pytest.raises(BudgetClosed):
            budget.reserve(5)
        refused.append(True)

    thread = threading.Thread(target=take)
    thread.start()
    time.sleep(0.1)
    budget.close()
    thread.join(5)
    assert refused == [True]
    with pytest.raises(BudgetClosed):
        budget.reserve(1)

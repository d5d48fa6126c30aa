"""Elasticsearch's rejections for want of memory, and if waiting helps."""

import pytest

from edgar_search.engine.replies import never_fits

# Asked of 9.5.4 and 9.2.4 with a heap of 512 MB, shortened.
START = "rejected execution of "
PRIMARY = (
    "primary operation [coordinating_and_primary_bytes={}, replica_bytes=0, all_bytes={},"
    " primary_operation_bytes={}, max_primary_bytes=53687091]"
)
COORDINATING = (
    "coordinating operation [coordinating_and_primary_bytes={}, replica_bytes=0, all_bytes={},"
    " coordinating_operation_bytes={}, max_coordinating_bytes=53687091]"
)


@pytest.mark.parametrize(
    ("reason", "sent"),
    [
        (PRIMARY.format(30_000_207, 30_000_207, 120_000_028), 30_000_207),
        # The operation alone would fit, beside the request that brings it it never does.
        (PRIMARY.format(12_000_199, 12_000_199, 47_999_996), 12_000_199),
        (COORDINATING.format(0, 0, 60_000_203), 60_000_203),
        (COORDINATING.format(0, 0, 60_000_203), 0),
    ],
)
def test_waiting_is_useless_where_the_request_alone_is_too_much(reason: str, sent: int) -> None:
    assert never_fits(START + reason, sent)


@pytest.mark.parametrize(
    ("reason", "sent"),
    [
        (PRIMARY.format(24_000_000, 24_000_000, 32_000_000), 8_000_000),
        # What another node took and sent here counts once only.
        (PRIMARY.format(6_000_000, 6_000_000, 48_000_000), 12_000_000),
        (COORDINATING.format(50_000_000, 50_000_000, 8_000_000), 8_000_000),
        ("rejected execution of TimedRunnable{...} on EsThreadPoolExecutor[...]", 8_000_000),
    ],
)
def test_waiting_helps_where_others_take_the_room(reason: str, sent: int) -> None:
    assert not never_fits(START + reason, sent)

"""A file of everything on its way: the calls for it, a key that ends, a client that is too slow."""

from collections.abc import AsyncGenerator
from types import SimpleNamespace
from typing import Any

import pytest

from edgar_search.access.admission import BYTES_OF_A_CALL, Admission
from edgar_search.errors import QuotaExceeded, ReadTooSlowly
from edgar_search.settings import Settings
from edgar_search.web.edgar.bulk import BulkAnswer

pytestmark = pytest.mark.anyio
MILLION = bytes(1_000_000)


class Made:
    """An answer of 35 MB, with what was asked for it; `left` calls may be charged."""

    def __init__(self, left: int = 100) -> None:
        self.closed = False
        self.left = left
        call: Any = SimpleNamespace(charged=1, check_again=self._check)
        state: Any = SimpleNamespace(admission=self, settings=Settings())
        self.call = call
        self.answer = BulkAnswer(state, call, self._pieces())

    async def _pieces(self) -> AsyncGenerator[bytes, None]:
        try:
            for _ in range(35):
                yield MILLION
        finally:
            self.closed = True

    async def _check(self) -> None:
        pass

    async def reserve(self, call: Any, calls: int) -> None:
        if call.charged + calls > self.left:
            raise QuotaExceeded("no calls are left", 10)
        call.charged += calls

    async def charge_bytes(self, call: Any, sent: int) -> None:
        # As the admission does it, with the calls of this test.
        admission: Any = self
        await Admission.charge_bytes(admission, call, sent)

    async def taken(self) -> int:
        """Return the bytes of all pieces."""
        return sum([len(piece) async for piece in self.answer.pieces()])


async def test_each_ten_megabytes_are_a_call() -> None:
    made = Made()
    assert await made.taken() == 35 * len(MILLION)
    assert made.call.charged == -(-35 * len(MILLION) // BYTES_OF_A_CALL) == 4


async def test_a_file_ends_when_no_calls_are_left() -> None:
    made, sent = Made(left=2), 0
    with pytest.raises(QuotaExceeded):
        async for piece in made.answer.pieces():
            sent += len(piece)
    assert sent == 2 * BYTES_OF_A_CALL
    assert made.closed


async def test_what_makes_a_file_ends_with_a_client_that_leaves() -> None:
    made = Made()
    pieces = made.answer.pieces()
    await anext(pieces)
    await pieces.aclose()
    await made.answer.end()
    assert made.closed


async def test_a_client_that_is_too_slow_is_left() -> None:
    made = Made()
    pieces = made.answer.pieces()
    await anext(pieces)
    made.answer.too_slow = True
    with pytest.raises(ReadTooSlowly):
        await anext(pieces)
    assert made.closed

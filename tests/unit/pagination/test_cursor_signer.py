"""Cursors as texts: read as they were given out, and refused in any other form."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgar_search.errors import BadRequest, EngineUnavailable
from edgar_search.search.cursors import BEGINNING, Cursor, CursorPosition, CursorSigner
from tests.support.memory_engine import MemoryEngine

pytestmark = pytest.mark.anyio
CURSOR = Cursor(
    "/v1/search",
    {"query": ['"fair value" Nestlé'], "cik": ["1,2", "3"]},
    CursorPosition([1.2140253, 984441600000, "0001021408-01-001676-3", 651], 40, snapshot="key"),
)
PLACES = st.builds(
    CursorPosition,
    after=st.none()
    | st.lists(st.floats(allow_nan=False, width=32) | st.integers(-(2**63), 2**63) | st.text()),
    rows=st.integers(0, 2**53),
    broad=st.none() | st.lists(st.text()),
    weights=st.none() | st.lists(st.floats(0, 1)),
    close=st.none() | st.booleans(),
    totals=st.none() | st.tuples(st.integers(0, 2**53), st.none() | st.integers(0, 2**53)),
)


@given(place=PLACES, question=st.dictionaries(st.text(), st.lists(st.text())), account=st.text())
async def test_cursor_is_read_as_it_was_given_out(
    place: CursorPosition, question: dict[str, list[str]], account: str
) -> None:
    signer = CursorSigner(MemoryEngine())  # type: ignore[arg-type]
    cursor = Cursor("/v1/search", question, place)
    text = await signer.sign(cursor, account)
    assert text.replace("-", "").replace("_", "").isalnum()
    assert text.isascii()
    assert await signer.verify(text, account) == cursor


async def test_every_changed_character_is_refused() -> None:
    signer = CursorSigner(MemoryEngine())  # type: ignore[arg-type]
    text = await signer.sign(CURSOR, "account")
    for place, character in enumerate(text):
        for other in "A", "B":
            if other == character:
                continue
            with pytest.raises(BadRequest, match=r"^`cursor` was not made by this service"):
                await signer.verify(text[:place] + other + text[place + 1 :], "account")


async def test_cursor_of_another_form_is_refused() -> None:
    signer = CursorSigner(MemoryEngine())  # type: ignore[arg-type]
    older = msgspec.structs.replace(CURSOR, question=["fair value"])
    text = await signer.sign(older, "account")
    with pytest.raises(BadRequest, match=r"^`cursor` was not made by this service"):
        await signer.verify(text, "account")


@given(text=st.text(max_size=200) | st.text("AZaz09-_=", max_size=200))
async def test_any_other_text_is_refused(text: str) -> None:
    signer = CursorSigner(MemoryEngine())  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match=r"^`cursor` was not made by this service"):
        await signer.verify(text, "account")


async def test_another_account_or_secret_refuses_it() -> None:
    signer, other = (CursorSigner(MemoryEngine()) for _ in range(2))  # type: ignore[arg-type]
    text = await signer.sign(CURSOR, "account")
    with pytest.raises(BadRequest, match="for this account"):
        await signer.verify(text, "another")
    with pytest.raises(BadRequest, match="for this account"):
        await other.verify(text, "account")


async def test_workers_have_one_secret() -> None:
    engine = MemoryEngine()
    first, second = CursorSigner(engine), CursorSigner(engine)  # type: ignore[arg-type]
    assert await second.verify(await first.sign(CURSOR, "account"), "account") == CURSOR


async def test_engine_that_is_away_is_no_wrong_cursor() -> None:
    engine = MemoryEngine()
    text = await CursorSigner(engine).sign(Cursor("w", {}, BEGINNING), "account")  # type: ignore[arg-type]
    engine.away = True
    with pytest.raises(EngineUnavailable):
        await CursorSigner(engine).verify(text, "account")  # type: ignore[arg-type]

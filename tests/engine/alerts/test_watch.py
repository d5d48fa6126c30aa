"""The past matches of a trigger: those that a search finds among what became searchable."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentCriteria, FilingCriteria, Interval, Window
from edgar_search.search.language import parse
from edgar_search.search.results import DocumentPage, NewDocumentPage, relevance
from edgar_search.search.search import search_new_documents
from edgar_search.settings import Settings
from tests.support.asking import Client, marks_of
from tests.support.loading import Loads
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
LONG = "Once upon a time there was a quarry. " * 200

FIRST = Window(0, 50)


class Corpus:
    """Three filings: two of one company, of which one begins with a picture."""

    def __init__(self, numbers: list[str]) -> None:
        self.first, self.second, self.third = numbers
        quarry = (MadeUpEntity("0009990301", "QUARRY CORP", sic="1400"),)
        bakery = (MadeUpEntity("0009990302", "BAKERY CORP", sic="2050"),)
        report = MadeUpDocument("net granite sales\n", "10-K", "a.txt")
        exhibit = MadeUpDocument("granite granite\n", "EX-99", "b.txt")
        picture = MadeUpDocument("begin 644 a.jpg\n#0V%T\n`\nend\n", "GRAPHIC", "a.jpg")
        story = MadeUpDocument(LONG, "8-K", "c.txt")
        self.files = {
            "1.txt": txt(MadeUp(self.first, quarry, (report, exhibit), "10-K")),
            "2.txt": txt(MadeUp(self.second, quarry, (picture, exhibit), "10-K/A")),
            "3.txt": txt(MadeUp(self.third, bakery, (story,), "8-K")),
        }


@pytest.fixture
async def corpus(loads: Loads, new_number: Callable[[], str]) -> Corpus:
    corpus = Corpus([new_number() for _ in range(3)])
    await loads(corpus.files)
    return corpus


def days() -> Interval:
    """Return the last 30 days."""
    now = datetime.now(UTC)
    return Interval(now - timedelta(days=30), now)


async def watched(
    engine: Engine,
    criteria: DocumentCriteria,
    when: Interval | None = None,
    window: Window = FIRST,
) -> NewDocumentPage:
    context = SearchContext.from_settings(engine, Settings())
    return await search_new_documents(context, criteria, when or days(), window)


def of(corpus: Corpus, found: NewDocumentPage) -> set[str]:
    """Return the documents of this corpus, without the numbers' beginning."""
    names = {corpus.first: "first", corpus.second: "second", corpus.third: "third"}
    return {
        names[hit.document_id[:20]] + hit.document_id[20:]
        for hit in found.page.hits
        if hit.document_id[:20] in names
    }


async def test_trigger_with_a_query_matches_what_a_search_finds(
    engine: Engine, corpus: Corpus, client: Client
) -> None:
    for query in ("granite", '"granite sales"', "gran* NOT sales", "granite OR quarry"):
        found = await watched(engine, DocumentCriteria(parse(query)))
        ids = [hit.document_id for hit in found.page.hits]
        assert sorted(ids) == sorted(await client.found(query))
        assert found.page.total == len(ids)


async def test_items_of_a_trigger_have_the_score_and_snippet_of_a_search(
    engine: Engine, corpus: Corpus, client: Client
) -> None:
    found = await watched(engine, DocumentCriteria(parse("granite")))
    searched = {item["document_id"]: item for item in (await client.search("granite"))["items"]}
    for hit, text, *_ in found.page.found:
        assert marks_of(text) != []
        assert text == searched[hit.document_id]["snippet"]
        assert relevance(hit.score) == pytest.approx(searched[hit.document_id]["score"])


@pytest.mark.parametrize(
    ("filings", "expected"),
    [
        (FilingCriteria(cik=("0009990301",)), {"first-1"}),
        (FilingCriteria(sic=("2050", "1400")), {"first-1", "third-1"}),
        (FilingCriteria(form_type=("10-K/A",)), set()),
        (FilingCriteria(form_type=("10-K", "8-K")), {"first-1", "third-1"}),
        (FilingCriteria(ticker=("NOBODY",)), set()),
    ],
)
async def test_trigger_without_a_query_matches_first_documents_that_have_text(
    engine: Engine, corpus: Corpus, filings: FilingCriteria, expected: set[str]
) -> None:
    found = await watched(engine, DocumentCriteria(None, filings))
    assert of(corpus, found) == expected


async def test_snippet_without_a_query_is_the_beginning_of_the_text(
    engine: Engine, corpus: Corpus
) -> None:
    found = await watched(engine, DocumentCriteria(None, FilingCriteria(cik=("0009990302",))))
    (text,) = {each.snippet for each in found.page.found}
    assert text.startswith("Once upon a time there was a quarry. Once")
    assert text.endswith("...")
    assert 250 < len(text) <= 303


async def test_query_and_filters_go_together(engine: Engine, corpus: Corpus) -> None:
    criteria = DocumentCriteria(parse("granite"), FilingCriteria(form_type=("10-K/A",)))
    assert of(corpus, await watched(engine, criteria)) == {"second-2"}


async def test_every_day_of_the_time_has_its_number(engine: Engine, corpus: Corpus) -> None:
    when = days()
    found = await watched(engine, DocumentCriteria(parse("granite")), when)
    dates = [day.date for day in found.days]
    first = when.since.date()
    assert dates == [(first + timedelta(days=n)).isoformat() for n in range(31)]
    assert sum(day.count for day in found.days) == found.page.total >= 3
    assert sum(day.count for day in found.days[-2:]) == found.page.total


async def test_what_came_before_or_after_the_time_is_not_matched(
    engine: Engine, corpus: Corpus
) -> None:
    now = datetime.now(UTC)
    criteria = DocumentCriteria(parse("granite"))
    earlier = Interval(now - timedelta(days=2), now - timedelta(days=1))
    later = Interval(now + timedelta(seconds=1), now + timedelta(days=1))
    assert (await watched(engine, criteria, earlier)).page == DocumentPage(0, [])
    assert (await watched(engine, criteria, later)).page == DocumentPage(0, [])


async def test_pages_are_newest_first_and_miss_nothing(engine: Engine, corpus: Corpus) -> None:
    criteria = DocumentCriteria(parse("granite"))
    whole = [hit.document_id for hit in (await watched(engine, criteria)).page.hits]
    when = days()
    pages = [await watched(engine, criteria, when, Window(n, n + 2)) for n in (0, 2)]
    assert [hit.document_id for page in pages for hit in page.page.hits] == whole[:4]

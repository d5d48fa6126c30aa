"""Snippets: every hit has one, with a mark, escaped, wherever in the document its match is."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.loading.owner import Owner
from ingest.loading.submission_writer import SubmissionWriter
from ingest.reading.prepare import prepare
from ingest.reading.tasks import PreparedSubmission, Task
from ingest.reading.transform import cut
from ingest.sources.source import Source
from tests.support.asking import Client, marks_of
from tests.support.loading import Hit, load_now, stored
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
ENTITY = MadeUpEntity("0009990100", "MARBLE")
WORDS = [f"word{number}" for number in range(1000)]
LONG = " ".join(WORDS)
REST = " ".join(f"rest{number}" for number in range(1000))
# A text of more than a million characters, with what is looked for after them.
HUGE = " ".join(f"filler{number % 5000}" for number in range(110_000)) + " zeolite at last"
TEXTS = {
    "evil": "<script>alert(1)</script> & </mark> basalt <b>bold</b> &amp; \"q\" 'a'",
    "long": LONG,
    "huge": HUGE,
    "swap": "Interest rate swaps; the rate of interest. Interest rate swaptions.",
    "form": "Our Form 10-K/A and AT&T\u2019s 401(k) plan.",
    "straight": "The trustee's duty.",
    "curly": "The trustee\u2019s power.",
    "many": f"quartz {REST} quartz feldspar {REST} feldspar",
    "mid": f"{REST} obsidian {REST}",
    "signed": "\n\n".join(
        [
            "Gypsum gypsum gypsum signatures of the gypsum directors",
            REST,
            "Our gypsum is not what it was, and that will change.",
            REST,
        ]
    ),
    "apart": "\n\n".join(
        [
            f"pyrite pyrite pyrite {REST[:1700]} mica mica mica",
            REST,
            "A headline of pyrite and mica",
            REST,
        ]
    ),
    "named": "\n\n".join(
        [
            f"Marble is not what it was. That will change, and Marble will be Marble. {REST}",
            f"Listed {REST[:1000]} olivine 12\n",
            REST,
        ]
    ),
    "little": f"Report on jasper mines {REST[:500]} many first\n{REST}\nThe first was many.\n"
    f"{REST}\nA jade license.",
    "short": f"scoria of one kind {REST[:600]} scoria of another kind",
    "twice": f"dunite, as ever {REST[:400]}\n\n" + f"{REST[:1990]}\n\ndunite, as ever\n\n" * 2,
    "table": "pumice\n----------------------------\nmined 1,234 2,345\nsold 234 345",
}


@pytest.fixture(scope="module", autouse=True)
def texts(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """One filing for each text."""
    files = {f"{name}.txt": submission(number(name), text) for name, text in TEXTS.items()}
    load_now(settings, tmp_path_factory.mktemp("files"), files)


def number(name: str) -> str:
    return f"0009990100-21-{list(TEXTS).index(name):06d}"


def submission(number: str, text: str) -> bytes:
    return txt(MadeUp(number, (ENTITY,), (MadeUpDocument(f"{text}\n"),)))


async def snippet(client: Client, query: str) -> str:
    """Return the snippet of the one hit."""
    (item,) = (await client.search(query))["items"]
    found: str = item["snippet"]
    return found


async def test_filers_markup_is_escaped(client: Client) -> None:
    assert await snippet(client, "basalt") == (
        "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;/mark&gt; <mark>basalt</mark>"
        " &lt;b&gt;bold&lt;/b&gt; &amp;amp; \"q\" 'a'"
    )


@pytest.mark.parametrize(
    ("query", "marks"),
    [
        ('"interest rate"', ["Interest rate", "Interest rate"]),
        ("swap*", ["swaps", "swaptions"]),
        ('"rate swaps"', ["rate swaps"]),
        ("swaps OR basaltic", ["swaps"]),
        ("swaptions NOT basalt", ["swaptions"]),
        ("10-K/A", ["10-K/A"]),
        ("AT&T's", ["AT&amp;T's"]),
        ("401(k)", ["401(k)"]),
        ("trustee's duty", ["trustee's", "duty"]),
        ("trustee\u2019s duty", ["trustee's", "duty"]),
        ("trustee's power", ["trustee's", "power"]),
        ("trustee\u2019s power", ["trustee's", "power"]),
    ],
)
async def test_marks_are(client: Client, query: str, marks: list[str]) -> None:
    assert marks_of(await snippet(client, query)) == marks


async def test_phrase_across_two_passages_has_its_words_marked(client: Client) -> None:
    (_, end), *_ = cut(LONG)
    before, after = LONG[:end].split()[-1], LONG[end:].split()[0]
    text = await snippet(client, f'"{before} {after}"')
    assert marks_of(text) in ([before], [after])


async def test_phrase_that_is_longer_than_a_snippet_has_a_mark(client: Client) -> None:
    phrase = " ".join(WORDS[240:340])
    assert len(phrase) > 600
    assert marks_of(await snippet(client, f'"{phrase}"')) != []


async def test_sloppy_phrase_across_two_passages_has_a_mark(client: Client) -> None:
    (_, end), *_ = cut(LONG)
    before, after = LONG[:end].split()[-3], LONG[end:].split()[3]
    assert marks_of(await snippet(client, f'"{before} {after}"~10')) in ([before], [after])


async def test_match_after_the_first_million_characters_is_shown(client: Client) -> None:
    assert HUGE.index("zeolite") > 1_000_000
    text = await snippet(client, "zeolite")
    assert text.startswith("...filler")
    assert text.endswith(" <mark>zeolite</mark> at last")


@pytest.mark.parametrize("query", ["zeol*", '"zeolite at last"', "filler4999 AND zeolite"])
async def test_every_kind_of_match_there_has_a_mark(client: Client, query: str) -> None:
    assert marks_of(await snippet(client, query)) != []


async def test_passage_with_the_most_words_is_shown(client: Client) -> None:
    assert marks_of(await snippet(client, "quartz feldspar")) == ["quartz", "feldspar"]


async def test_passage_of_prose_is_shown_rather_than_one_with_more_marks(client: Client) -> None:
    assert "Our <mark>gypsum</mark> is not what it was" in await snippet(client, "gypsum")


@pytest.mark.parametrize("query", ["pyrite mica", "mica AND pyrite", "pyrite OR mica"])
async def test_passage_with_the_words_close_together_is_shown(client: Client, query: str) -> None:
    text = await snippet(client, query)
    assert "A headline of <mark>pyrite</mark> and <mark>mica</mark>" in text


async def test_rows_and_rulers_are_folded(client: Client) -> None:
    assert await snippet(client, "pumice") == (
        "<mark>pumice</mark> \u2026 mined 1,234 2,345 \u2026 sold 234 345"
    )


async def test_snippet_is_short_and_says_what_it_leaves_out(client: Client) -> None:
    text = await snippet(client, "obsidian")
    plain = text.replace("<mark>", "").replace("</mark>", "")
    assert text.startswith("...") and text.endswith("...")
    assert 250 < len(plain) < 310
    assert " ".join(plain.strip(".").split()) in " ".join(TEXTS["mid"].split())


class TestPassagesThatAreNotVisibleYet:
    """The two indices refresh apart, so a document may be visible before its passages are."""

    NUMBER = "0009990100-21-000900"

    @pytest.fixture
    async def unrefreshed(self, engine: Engine, settings: Settings) -> AsyncIterator[None]:
        path = f"/{settings.prefix}passages/_settings"
        await engine.administer("PUT", path, {"index": {"refresh_interval": "-1"}})
        yield
        await engine.administer("PUT", path, {"index": {"refresh_interval": None}})

    @pytest.mark.usefixtures("unrefreshed")
    async def test_snippet_is_there_all_the_same(
        self, engine: Engine, settings: Settings, client: Client, tmp_path: Path
    ) -> None:
        (tmp_path / "one.txt").write_bytes(submission(self.NUMBER, "A vein of malachite."))
        task = Task(Source.of(tmp_path / "one.txt"), [], settings.prefix, "none", 1000, None)
        prepared = prepare(task)
        assert isinstance(prepared, PreparedSubmission)
        with Owner(settings.absolute_home) as owner:
            await SubmissionWriter(engine, settings, owner).write([prepared])
        await engine.refresh("documents")
        assert await stored(engine, "passages", self.NUMBER) == []
        assert await snippet(client, "malachite") == "A vein of <mark>malachite</mark>."


async def test_documents_do_not_keep_the_text(engine: Engine) -> None:
    reply = await engine.search("documents", {"query": {"match_all": {}}, "size": 50}, Hit)
    assert len(reply.hits.hits) >= len(TEXTS)
    assert [hit.id for hit in reply.hits.hits if "text" in hit.source] == []


@pytest.mark.parametrize("query", ["Marble olivine", "marble olivine"])
async def test_name_of_the_filer_makes_no_passage_good(client: Client, query: str) -> None:
    assert marks_of(await snippet(client, query)) == ["olivine"]


@pytest.mark.parametrize(
    ("question", "begins", "marks"),
    [
        ("What many first jade licenses?", False, ["jade", "license"]),
        ("How many first topaz pits?", True, []),
    ],
)
async def test_words_that_tell_little_are_no_reason_for_a_passage(
    client: Client, question: str, begins: bool, marks: list[str]
) -> None:
    found = await client.search(question, reading="person", operands="most", word_forms="all")
    (shown,) = (each["snippet"] for each in found["items"] if each["accnum"] == number("little"))
    assert (shown.startswith("Report on jasper"), marks_of(shown)) == (begins, marks)


async def several(client: Client, query: str) -> list[str]:
    (item,) = (await client.search(query, snippets="3"))["items"]
    return [each["snippet"] for each in item["snippets"]]


async def test_passage_has_further_snippets_if_there_are_too_few(client: Client) -> None:
    first, second = await several(client, "scoria")
    assert ("of one kind" in first, "of another kind" in second) == (True, True)


async def test_no_text_is_shown_twice(client: Client) -> None:
    found = await several(client, "dunite")
    texts = [" ".join(each.strip(".").split()) for each in found]
    assert len(set(texts)) == len(texts) > 0

"""The query language on a real engine: which documents a query finds."""

import random
from collections.abc import Mapping

import pytest

from edgar_search.search.results import SCORE_HALF
from edgar_search.settings import Settings
from tests.support.asking import Client, marks_of
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
FAR = " ".join(f"word{number}" for number in range(1500))  # several passages
TEXTS: Mapping[str, str] = {
    "ordered": "A goodwill impairment charge was taken.",
    "reversed": "An impairment, of goodwill.",
    "goodwill": "Goodwill remained; nothing was impaired.",
    "far": f"Goodwill first. {FAR} Impairment last.",
    "swap": "Interest rate swaps hedged the LIBOR loans.",
    "swaption": "An interest rate swaption, hedging nothing.",
    "rate": "Rate of interest.",
    "amended": "See our Form 10-K/A, as filed.",
    "annual": "See our Form 10-K, as filed.",
    "numbers": "Page 10, chart K and line A.",
    "att": "AT&T Inc. called.",
    "atnt": "Look at the T.",
    "curly": "The Company\u2019s shares.",
    "straight": "The Company's debt.",
    "company": "Company shares.",
    "accent": "Nestl\u00e9 sells water.",
    "plain": "Nestle has no accent.",
    "tokyo": "Our \u6771\u4eac office.",
    "kyoto": "Our \u4eac\u6771 office.",
    "plan": "A 401(k) plan.",
    "section": "Section 13(a)(1).",
    "sections": "Sections 13(a) and (1).",
    "loss": "Profit & loss.",
    "or": "Heads or tails and not both.",
    "money": "Sales of $1,234.5 in the U.S. market.",
    "ligature": "The o\ufb03ce con\u00adsents.",
    "resign": "mica resign",
    "resigned": "mica resigned",
    "resignation": "mica resignation",
    "Resigns": "mica Resigns",
    "both": "mica shaft resigned resign",
    "layoffs": "Layoffs at the shaft.",
    "force": "A reduction in force; reductions of the force.",
    "reduction": "Reduction of a force in jobs.",
    "path": "A path/to:field^2 [range] {x} <y> ~z.",
}
GOODWILL = {"ordered", "reversed", "goodwill", "far"}
CASES: Mapping[str, set[str]] = {
    # Words
    "goodwill": GOODWILL,
    "GoodWill": GOODWILL,
    "goodwill impairment": {"ordered", "reversed", "far"},
    "goodwill AND impairment": {"ordered", "reversed", "far"},
    "goodwill impairment charge": {"ordered"},
    "goodwill and": set(),
    "impair": set(),
    "nothing": {"goodwill", "swaption"},
    # Phrases
    '"goodwill impairment"': {"ordered"},
    '"impairment goodwill"': set(),
    '"goodwill impairment"~1': {"ordered"},
    '"impairment goodwill"~1': {"reversed"},
    '"rate interest"~0': set(),
    '"rate interest"~1': {"rate"},
    '"interest rate"': {"swap", "swaption"},
    "\u201cinterest rate\u201d": {"swap", "swaption"},
    "\u00abinterest rate\u00bb": {"swap", "swaption"},
    # Operators, parentheses
    "charge OR remained": {"ordered", "goodwill"},
    "goodwill NOT impairment": {"goodwill"},
    "goodwill AND NOT impairment": {"goodwill"},
    'goodwill NOT "goodwill impairment"': {"reversed", "goodwill", "far"},
    "charge OR remained goodwill": {"ordered", "goodwill"},
    "remained OR charge AND swaps": {"goodwill"},
    "(remained OR charge) AND swaps": set(),
    "(remained OR charge) AND goodwill": {"ordered", "goodwill"},
    '("interest rate" AND swap*) NOT libor': {"swaption"},
    "goodwill NOT (charge OR remained)": {"reversed", "far"},
    "goodwill NOT (impairment NOT charge)": {"ordered", "goodwill"},
    "heads or tails": {"or"},
    "heads and not both": {"or"},
    # Wildcards
    "impair*": GOODWILL,
    "IMPAIR*": GOODWILL,
    "swap*": {"swap", "swaption"},
    "swap?": set(),
    "swap?s": set(),
    "inter?st": {"swap", "swaption", "rate"},
    "hed*d": {"swap"},
    "hedg?d": {"swap"},
    "hedg*g": {"swaption"},
    "libor*": {"swap"},
    "goodwill*": GOODWILL,
    "401*": {"plan"},
    # Words that the tokenizer splits
    "10-K": {"annual", "amended"},
    "10-K/A": {"amended"},
    "10\u2011K": {"annual", "amended"},
    "AT&T": {"att"},
    "at&t": {"att"},
    "401(k)": {"plan"},
    "13(a)(1)": {"section"},
    "13(a) (1)": {"section", "sections"},
    "\u6771\u4eac": {"tokyo"},
    "profit & loss": {"loss"},
    "profit&loss": {"loss"},
    "$1,234.5": {"money"},
    "1,234.5": {"money"},
    "1234.5": set(),
    "U.S. market": {"money"},
    "U.S market": {"money"},
    # Characters
    "company's": {"curly", "straight"},
    "company\u2019s": {"curly", "straight"},
    '"the company\u2019s shares"': {"curly"},
    "company": {"company"},
    "Nestl\u00e9": {"accent"},
    "Nestle\u0301": {"accent"},
    "nestl\u00c9": {"accent"},
    "nestle": {"plain"},
    "office consents": {"ligature"},
    "con\u00adsents": {"ligature"},
    # What other languages take for syntax
    "path/to:field^2": {"path"},
    "[range]": {"path"},
    "{x}": {"path"},
    "<y>": {"path"},
    "text:goodwill": set(),
    "/good.*/": set(),
    "_exists_:text": set(),
    "goodwill^2": set(),
    "~z": {"path"},
}
# With `word_forms=all`
RESIGN = {"resign", "resigned", "resignation", "Resigns", "both"}
FORMS: Mapping[str, set[str]] = {
    "resign": RESIGN,
    "resigned": RESIGN,
    "resignation,": RESIGN,
    "mica resigns": RESIGN,
    "Resign": {"resign", "both"},
    '"resign"': {"resign", "both"},
    '"mica resign"': {"resign"},
    "resi?n": {"resign", "both"},
    "mica NOT resigning": set(),
    "mica NOT Resigned": {"resign", "resignation", "Resigns"},
    "mica (resigns OR swaption)": RESIGN,
    "goodwill OR (mica NOT resignations)": GOODWILL,
    "companies": {"company", "curly", "straight"},
    "company's": {"curly", "straight"},
    "swap": {"swap"},
    "impair goodwill": {"ordered", "reversed", "far", "goodwill"},
}
# With `word_forms=related`
RELATED: Mapping[str, set[str]] = {
    "layoffs": {"layoffs", "force"},
    "layoff": {"layoffs", "force"},
    "Layoffs": {"layoffs"},
    '"layoffs"': {"layoffs"},
    "reduction force NOT layoffs": {"reduction"},
    "shaft layoffs": {"layoffs"},
    "resign": RESIGN,
}
PIECES = [
    *("goodwill", "impair*", "10-K/A", "AT&T", "401(k)", "inter?st", "swap*n", "\u6771\u4eac"),
    *('"', '"interest rate"', '"rate interest"~3', "(", ")", "AND", "OR", "NOT", "~", "~5", "*"),
    *("?", "\\", "/", ":", "^2", "[a TO z]", "{", "<", "&&", "||", "!", "-", "+", "=", "'"),
    *("\u2019", "\u201c", "\u201d", "\x00", "\t", "\u00ad", "\ufffd", "\U0001f600", "e\u0301"),
    *("\ufdd0", "\ufdd1", "<mark>", "x" * 300, "1.5", "_", "\u0130", "\ufb03", "%", "..."),
]


@pytest.fixture(scope="module", autouse=True)
def texts(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """One filing for each text."""
    entity = MadeUpEntity("0009990070", "MARBLE")
    files = {
        f"{name}.txt": txt(MadeUp(number(name), (entity,), (MadeUpDocument(f"{text}\n"),)))
        for name, text in TEXTS.items()
    }
    load_now(settings, tmp_path_factory.mktemp("files"), files)


# The gain of headings with all of a query: each of these texts is its own heading.
HEADINGS = 4.0


def number(name: str) -> str:
    return f"0009990070-21-{list(TEXTS).index(name):06d}"


@pytest.mark.parametrize(("query", "expected"), CASES.items(), ids=ascii)
async def test_query_finds(client: Client, query: str, expected: set[str]) -> None:
    assert sorted(await client.found(query)) == sorted(f"{number(name)}-1" for name in expected)


@pytest.mark.parametrize(("query", "expected"), FORMS.items(), ids=ascii)
async def test_query_with_forms_finds(client: Client, query: str, expected: set[str]) -> None:
    found = await client.found(query, word_forms="all")
    assert sorted(found) == sorted(f"{number(name)}-1" for name in expected)


@pytest.mark.parametrize(("query", "expected"), RELATED.items(), ids=ascii)
async def test_query_with_related_words_finds(
    client: Client, query: str, expected: set[str]
) -> None:
    found = await client.found(query, word_forms="related")
    assert sorted(found) == sorted(f"{number(name)}-1" for name in expected)


async def test_related_words_score_less_are_marked_and_are_matches(client: Client) -> None:
    first, second = (await client.search("layoffs", word_forms="related"))["items"]
    assert [first["document_id"], second["document_id"]] == [
        f"{number('layoffs')}-1",
        f"{number('force')}-1",
    ]
    assert second["score"] < first["score"]
    assert " ".join(marks_of(second["snippet"])).endswith("reduction in force")
    params = {"query": "layoffs", "word_forms": "related", "document_id": second["document_id"]}
    matches = (await client.http.get("/v1/matches", params=params)).json()
    assert [match["text"] for match in matches["items"]] == ["reduction in force"]
    assert matches["total_count"] == 1


async def test_typed_word_counts_full_its_best_form_half_and_never_both(client: Client) -> None:
    formed = await scores(client, "resign", word_forms="all")
    assert formed["resign"] == pytest.approx((await scores(client, "resign"))["resign"])
    assert formed["both"] == pytest.approx((await scores(client, "resign"))["both"])
    resigned = (await scores(client, "resigned"))["resigned"]
    assert formed["resigned"] == pytest.approx(resigned / 2)
    # One text has it, while two have the word: it counts as if it were as common.
    assert formed["resignation"] == pytest.approx(formed["resigned"], rel=0.01)
    assert (await scores(client, "resignation"))["resignation"] > resigned * 1.1
    beside = await scores(client, "mica OR resign", word_forms="all")
    mica = await scores(client, "mica")
    for name in RESIGN:
        assert beside[name] == pytest.approx(mica[name] + formed[name] + HEADINGS)


async def test_scores_with_forms_are_those_of_alternatives_that_match(client: Client) -> None:
    alternatives = "swaption OR (mica resign NOT swaption) OR (goodwill NOT mica)"
    found = await scores(client, alternatives, word_forms="all")
    assert set(found) == RESIGN | GOODWILL | {"swaption"}
    beside = await scores(client, "mica OR resign", word_forms="all")
    for name in RESIGN:
        assert found[name] == pytest.approx(beside[name] - HEADINGS)


@pytest.mark.parametrize(("query", "mark"), [("resign", "resigned"), ("resigning mica", "mica")])
async def test_forms_are_marked(client: Client, query: str, mark: str) -> None:
    items = (await client.search(query, word_forms="all", ids=f"{number('resigned')}-1"))["items"]
    assert mark in marks_of(items[0]["snippet"])
    assert "resigned" in marks_of(items[0]["snippet"])


async def test_deepest_query_with_forms_is_served(client: Client) -> None:
    query = "resign"
    for level in range(20):
        query = f"(mica {query})" if level % 2 else f"(swaps OR {query})"
    found = await client.found(query, word_forms="all")
    assert sorted(found) == sorted(f"{number(name)}-1" for name in RESIGN)


async def scores(client: Client, query: str, **parameters: str) -> dict[str, float]:
    """Return the engine's own score of each text that is found."""
    items = (await client.search(query, limit=100, **parameters))["items"]
    names = {f"{number(name)}-1": name for name in TEXTS}
    return {
        names[item["document_id"]]: SCORE_HALF * item["score"] / (1 - item["score"])
        for item in items
    }


async def test_every_text_is_found_by_its_own_words(client: Client) -> None:
    for name, text in TEXTS.items():
        beginning = " ".join(text.split()[:50])
        assert await client.found(f'"{beginning}"') == [f"{number(name)}-1"]


async def test_nothing_that_a_user_writes_is_the_services_fault(client: Client) -> None:
    draw = random.Random(20210105)
    statuses = set()
    for _ in range(400):
        glue = draw.choice(["", " ", " ", " "])
        query = glue.join(draw.choices(PIECES, k=draw.randint(1, 8)))
        forms = draw.choice(["exact", "all", "related"])
        params = {"query": query, "word_forms": forms}
        response = await client.http.get("/v1/search", params=params)
        statuses.add(response.status_code)
        assert response.status_code in (200, 400), (query, response.text)
    assert statuses == {200, 400}

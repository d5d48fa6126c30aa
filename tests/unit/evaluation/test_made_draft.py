"""The claims of the made draft have the faults that they say, and figures count them."""

from datetime import date
from random import Random

import pytest

from edgar_search.stored.filings import StoredPassage
from edgar_search.stored.financials import StoredFact
from evaluation.drafts import Checked, MadeClaim, figures, number_claims_of, quote_claims

SENTENCE = "The kiln number {} at Burlington{} did not burn for {} days in the spring of {} at all."


def test_quotes_are_as_filed_or_have_a_fault() -> None:
    texts = [SENTENCE.format(n, "abcdefgh"[: n % 8], n + 30, n + 1900) for n in range(80)]
    passages = [
        StoredPassage(f"0009990101-25-{n:06}-1", 0, 0, f"First one here. {text} Last one here.")
        for n, text in enumerate(texts)
    ]
    claims = list(quote_claims(passages, Random(1)))
    assert len(claims) == 60
    for claim in claims:
        parts = claim.text[claim.start : claim.end].strip('> “”"‘’«»').replace("**", "")
        is_filed = any(
            all(f"{part} " in f"{text} " for part in parts.split(" ... ")) for text in texts
        )
        assert is_filed == (claim.fault in ("", "another filing")), claim
    assert len({claim.fault for claim in claims}) == 7


def test_numbers_are_as_filed_or_have_a_fault() -> None:
    day, values = date(2009, 12, 31), range(1, 41)
    facts = [
        StoredFact(
            document_id="0009990101-25-000001-1",
            number=n,
            accession_number="0009990101-25-000001",
            cik=f"{n:010}",
            ciks=[],
            sics=[],
            name="A",
            form_type="10-K",
            filing_date=day,
            taxonomy="standard",
            concept="standard:total_assets",
            local_name="total_assets",
            words="",
            label="",
            unit="USD",
            end=day,
            value=f"{n}000000000",
            amount=0,
        )
        for n in values
    ]
    claims = list(number_claims_of(facts, Random(1)))
    right = {f"${n}.{digits} billion" for n in values for digits in ("0", "00")}
    # What cannot be told has a right number.
    unsure = {"a denial", "a condition", "a part", "a change", "a bound", "a plan"}
    assert len(claims) == 36
    assert {claim.fault for claim in claims} >= unsure
    for claim in claims:
        said = claim.text[claim.start : claim.end]
        assert (said in right) == (claim.fault in {"", *unsure}), claim
    assert claims[0].text == "A reported total assets of $1.00 billion as of December 31, 2009."


@pytest.mark.parametrize(
    ("right", "counts"), [(True, (2, 2, 1)), (False, (2, 1, 1))], ids=["right", "wrong"]
)
def test_figures(right: bool, counts: tuple[int, int, int]) -> None:
    good, bad = MadeClaim("number", "", 0, 0), MadeClaim("number", "", 0, 0, "a digit")
    checked = [
        Checked(good, "supported", None),
        Checked(good, "ambiguous", None),
        Checked(bad, "supported", None),
        Checked(bad, "contradicted", None),
        Checked(MadeClaim("quote", "", 0, 0), "exact", None),
    ]
    assert figures(checked, "number", right=right) == counts

"""Made filings: their words, that equal seeds make equal ones, and that they load."""

import re
from random import Random

import pytest

from bench.made.__main__ import laws
from bench.made.filings import Maker, Material, Template, drawn
from bench.made.words import RARE, Coiner, Heaps, Words
from edgar_search.edgar.submission import Submission, parse_submission

_PROSE = (
    "The registrant believes that demand for its products in the markets of Quillmore and"
    " Feathering will continue to grow at a rate of 1,204 units in each quarter of 2011, and that"
    " the facility in Ostrandel can be expanded at a cost of $4,310,000 before the end of 2012."
)
_SUBMISSION = f"""<SEC-DOCUMENT>0009990888-11-000007.txt : 20120229
<SEC-HEADER>0009990888-11-000007.hdr.sgml : 20120229
ACCESSION NUMBER:\t\t0009990888-11-000007
CONFORMED SUBMISSION TYPE:\t10-K
PUBLIC DOCUMENT COUNT:\t\t3
CONFORMED PERIOD OF REPORT:\t20111231
FILED AS OF DATE:\t\t20120229

FILER:

\tCOMPANY DATA:
\t\tCOMPANY CONFORMED NAME:\t\t\tQUILLMORE INC
\t\tCENTRAL INDEX KEY:\t\t\t0009990888
\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\tELECTRONIC COMPUTERS [3571]
</SEC-HEADER>
<DOCUMENT>
<TYPE>10-K
<SEQUENCE>1
<FILENAME>report.htm
<TEXT>
<html><body><p>7.</p>
<p>{_PROSE}</p><p>{_PROSE}</p><p>{_PROSE.replace("Ostrandel", "Vindelmark")}</p>
<td>us-gaap:Ostrandel</td><td>037833100</td><td>8,120</td></body></html>
</TEXT>
</DOCUMENT>
<DOCUMENT>
<TYPE>GRAPHIC
<SEQUENCE>2
<FILENAME>logo.jpg
<TEXT>
begin 644 logo.jpg
M
end
</TEXT>
</DOCUMENT>
<DOCUMENT>
<TYPE>EX-99
<SEQUENCE>3
<FILENAME>letter.txt
<TEXT>
{_PROSE}

Signed in Ostrandel.
</TEXT>
</DOCUMENT>
</SEC-DOCUMENT>
"""
_TEMPLATE = Template("0009990888-11-000007", _SUBMISSION)


def made(seed: int, copies: int = 1) -> list[tuple[str, str]]:
    """Return the submissions made of the template, as many as copies."""
    maker = Maker(Material.of([_TEMPLATE], Random(seed)), seed)
    order = drawn([_TEMPLATE], copies, Random(seed))
    return [maker.make(template, copy) for template, copy in order]


def parsed(text: str) -> Submission:
    return parse_submission(text.encode("latin-1"))


def test_equal_seeds_make_equal_filings_and_others_others() -> None:
    assert made(1, 3) == made(1, 3)
    texts = [text for _, text in made(1, 3)] + [made(2)[0][1]]
    assert len(set(texts)) == 4


def test_a_made_filing_is_read_as_a_submission_of_another_filer() -> None:
    accession, text = made(5)[0]
    submission = parsed(text)
    header = submission.header
    assert header.accession_number == accession != _TEMPLATE.accession_number
    assert [document.form_type for document in submission.documents] == ["10-K", "EX-99"]
    assert header.entities[0].cik != "0009990888" and "QUILLMORE" not in header.entities[0].name
    assert header.entities[0].name in text


def test_a_filer_is_the_same_in_one_copy_and_another_in_the_next() -> None:
    maker = Maker(Material.of([_TEMPLATE], Random(1)), 1)
    names = [parsed(maker.make(_TEMPLATE, copy)[1]).header.entities[0].name for copy in (0, 0, 1)]
    assert names[0] == names[1] != names[2]


def test_days_and_years_move_together() -> None:
    for seed in range(10):
        text = made(seed)[0][1]
        header = parsed(text).header
        off = header.filing_date.year - 2012
        assert header.period is not None
        assert header.period.year == 2011 + off
        assert f"quarter of {2011 + off}" in text and f"end of {2012 + off}" in text


def test_items_keys_and_names_of_xbrl_stay_and_amounts_change() -> None:
    text = made(3)[0][1]
    assert ">7.<" in text and ">037833100<" in text and ">us-gaap:Ostrandel<" in text
    assert ">8,120<" not in text and re.search(r">\d,\d\d\d<", text)


def test_a_rare_word_has_one_stand_in_in_a_filing() -> None:
    text = _SUBMISSION.replace("Signed in Ostrandel", "Signed in Vindelmark")
    template = Template(_TEMPLATE.accession_number, text)
    material = Material.of([template], Random(1))
    assert material.words.counts["vindelmark"] == 2 <= RARE < material.words.counts["registrant"]
    # Without paragraphs of others each word is where it was.
    material.paragraphs.clear()
    made = Maker(material, 1).make(template, 0)[1]
    before, after = (
        re.findall("[a-z]+", re.sub("<DOCUMENT>.*letter", "", each, flags=re.DOTALL).lower())
        for each in (text.split("<html>")[1], made.split("<html>")[1])
    )
    stand_ins = {old: new for old, new in zip(before, after, strict=True) if old != new}
    assert "vindelmark" in stand_ins and "registrant" not in stand_ins
    at = [number for number, word in enumerate(before) if word == "vindelmark"]
    assert {after[number] for number in at} == {stand_ins["vindelmark"]}


def test_the_laws_of_words_are_fitted() -> None:
    words = Words()
    law = Heaps(5.0, 0.5)
    known = 0
    for number in range(400):
        words.total += 1_000
        grown = round(law.vocabulary(words.total))
        words.add(" ".join(f"w{_letters(new)}" for new in range(known, grown)))
        words.total -= grown - known
        known = grown
        assert number < 400
    assert words.heaps().exponent == pytest.approx(0.5, abs=0.02)
    ranked = Words()
    ranked.counts.update({_letters(rank): round(1e7 / rank) for rank in range(1, 12_000)})
    assert ranked.zipf() == pytest.approx(1.0, abs=0.01)
    assert laws({"real": words}).count("\n") == 2


def _letters(number: int) -> str:
    return "".join(chr(ord("a") + number // 26**power % 26) for power in range(4))


def test_coined_words_are_between_four_and_twelve_letters() -> None:
    coiner, chance = (
        Coiner(["ostrandel", "vindelmark", "quillmore", "feathering", "restoration"]),
        Random(7),
    )
    coined = {coiner.coin(chance) for _ in range(200)}
    assert len(coined) > 10
    assert {len(word) for word in coined} <= set(range(4, 13))

"""Submissions made from real ones: other filers, days, numbers and names, and paragraphs mixed."""

import calendar
import re
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from bench.made.words import RARE, Coiner, Heaps, Words

# Chunks of text of this many characters are paragraphs, and half of them are taken from others.
_PARAGRAPH, _MIXED = 200, 0.5
_MOST_PARAGRAPHS = 3_000  # of a kind of form and an industry
_YEARS = (1994, 2025)
_MOST_YEARS_OFF = 3
# Documents without text of their own are left out.
_NOT_TEXT = ("GRAPHIC", "ZIP", "EXCEL", "XML", "COVER")
_DOCUMENT = re.compile(r"<DOCUMENT>.*?</DOCUMENT>\n?", re.DOTALL)
_TYPE = re.compile(r"<TYPE>([^\s<]*)")
_TEXT = re.compile(r"(?<=<TEXT>).*(?=</TEXT>)", re.DOTALL)
_MARKUP = re.compile(r"<(?:html|xml|\?xml|div|p|XBRL)\b", re.IGNORECASE)
_BETWEEN_TAGS = re.compile(r"(?<=>)[^<>]+(?=<)")
_BETWEEN_BLANK_LINES = re.compile(r"[^\n]+(?:\n[^\n]+)*")
_CIK = re.compile(r"CENTRAL INDEX KEY:\s*(\d{10})")
_NAME = re.compile(r"(?:COMPANY CONFORMED NAME|CONFORMED NAME):[ \t]*([^\n]+)")
_FORM = re.compile(r"CONFORMED SUBMISSION TYPE:\s*(\S+)")
_INDUSTRY = re.compile(r"\[(\d{4})\s*\]")
_HEADER_DAY = re.compile(r"((?:DATE|PERIOD OF REPORT|FILED AS OF|DATETIME)[^\n\d]*)(\d{4})(\d{4})")
_COUNT = re.compile(r"(PUBLIC DOCUMENT COUNT:\s*)\d+")
_TOKEN = re.compile(
    r"&#?\w{1,8};"  # a character of HTML stays
    r"|(?P<day>(?:19|20)\d\d-[01]\d-[0-3]\d)"
    r"|(?P<year>(?<![\d,.$])(?:19|20)\d\d(?!\d|[.,]\d))"
    r"|(?<![A-Za-z\d])(?P<number>\d[\d,]*(?:\.\d+)?)(?![A-Za-z\d])"
    r"|(?P<word>[A-Za-z]{2,})"
)
# Shorter numbers are days, items and notes; longer ones, and with letters, are keys such as CUSIPs.
_LEAST_DIGITS, _MOST_DIGITS = 3, 8
_FIRST_DIGITS = "123456789"
_BENFORD = (301, 176, 125, 97, 79, 67, 58, 51, 46)
_SUFFIXES = ("INC", "CORP", "CO", "LTD", "HOLDINGS INC", "GROUP INC", "TECHNOLOGIES INC")


class Template(NamedTuple):
    """A real submission that others are made from."""

    accession_number: str
    text: str

    @property
    def header(self) -> str:
        """The lines before the first document."""
        return self.text[: max(0, self.text.find("<DOCUMENT>"))]

    @property
    def kind(self) -> str:
        """The form's type, without amendments, and the first digit of the industry."""
        form, industry = _FORM.search(self.header), _INDUSTRY.search(self.header)
        name = form[1].removesuffix("/A") if form else ""
        return f"{name} {industry[1][0] if industry else ''}"


class Material(NamedTuple):
    """The words of real submissions, and their paragraphs by kind, of which others are made."""

    words: Words
    rare: list[str]
    coiner: Coiner
    heaps: Heaps
    paragraphs: dict[str, list[str]]

    @classmethod
    def of(cls, templates: Iterable[Template], chance: Random) -> "Material":
        """Read words and paragraphs out of all templates."""
        words, paragraphs = Words(), dict[str, list[str]]()
        for template in templates:
            for document in documents(template.text):
                chunks = [chunk for _, chunk in _chunks(document)]
                words.add(" ".join(chunks))
                kind = f"{template.kind} {_is_markup(document)}"
                kept = paragraphs.setdefault(kind, [])
                kept.extend(chunk for chunk in chunks if _is_paragraph(chunk))
        for kept in paragraphs.values():
            chance.shuffle(kept)
            del kept[_MOST_PARAGRAPHS:]
        rare = sorted(word for word, count in words.counts.items() if count <= RARE)
        return cls(words, rare, Coiner(rare), words.heaps(), paragraphs)


class Maker:
    """Makes submissions one after the other; equal seeds and templates make equal ones.

    `words` has what was made so far: where its vocabulary is behind that of real filings, rare
    words are replaced by new ones, else by other rare ones.
    """

    def __init__(self, material: Material, seed: int) -> None:
        self.words = Words()
        self._material = material
        self._seed = seed
        self._number = 0

    def make(self, template: Template, copy: int) -> tuple[str, str]:
        """Return an accession number and the text of a submission like TEMPLATE.

        Filers of the same `copy` are the same where they are the same in the templates.
        """
        self._number += 1
        chance = Random(f"{self._seed} {self._number}")
        header = template.header
        day = re.search(r"FILED AS OF DATE:\s*(\d{4})", header)
        year = int(day[1]) if day else 2010
        off = chance.randint(-_MOST_YEARS_OFF, _MOST_YEARS_OFF)
        off = min(max(year + off, _YEARS[0]), _YEARS[1]) - year
        accession = (
            f"{9_000_000_000 + copy:010}-{(year + off) % 100:02}-{self._number % 1_000_000:06}"
        )
        filing = _Filing(self._material, chance, off, self._new_words(template))
        kept = list(documents(template.text))
        made = [filing.document(each, template.kind) for each in kept]
        header = _HEADER_DAY.sub(lambda d: d[1] + _moved(d[2] + d[3], off), header)
        header = _COUNT.sub(rf"\g<1>{len(made)}", header)
        text = header + "".join(made) + template.text[template.text.rfind("</DOCUMENT>") + 11 :]
        # First, since many accession numbers begin with the number of a filer.
        text = text.replace(template.accession_number, accession)
        for old, new in self._filers(header, copy):
            text = text.replace(old, new)
        for document in documents(text):
            self.words.add(" ".join(chunk for _, chunk in _chunks(document)))
        return accession, text

    def _new_words(self, template: Template) -> float:
        """Return how many new words the vocabulary needs by the end of a text of this length."""
        length = len(template.text) // 8
        wanted = self._material.heaps.vocabulary(self.words.total + length)
        return max(0.0, wanted - len(self.words.counts))

    def _filers(self, header: str, copy: int) -> Iterator[tuple[str, str]]:
        for cik, name in zip(_CIK.findall(header), _NAME.findall(header), strict=False):
            chance = Random(f"{self._seed} {copy} {cik}")
            yield cik, f"{chance.randint(3_000_000, 9_999_999):010}"
            words = (self._material.coiner.coin(chance), chance.choice(self._material.rare))
            yield name.strip(), f"{' '.join(words)} {chance.choice(_SUFFIXES)}".upper()


class _Filing:
    """Rewrites the documents of a filing: a rare word has the same stand-in in all of them."""

    def __init__(self, material: Material, chance: Random, off: int, new_words: float) -> None:
        self._material = material
        self._chance = chance
        self._off = off
        self._new_words = new_words
        self._stand_ins: dict[str, str] = {}

    def document(self, document: str, kind: str) -> str:
        pool = self._material.paragraphs.get(f"{kind} {_is_markup(document)}", [])
        parts, at = [], 0
        for start, chunk in _chunks(document):
            parts.append(document[at:start])
            at = start + len(chunk)
            if pool and _is_paragraph(chunk) and self._chance.random() < _MIXED:
                chunk = self._chance.choice(pool)
            # What has no blank may be a name of XBRL, which stays.
            has_words = " " in chunk.strip()
            parts.append(_TOKEN.sub(self._token if has_words else self._number, chunk))
        return "".join(parts) + document[at:]

    def _token(self, found: re.Match[str]) -> str:
        word = found["word"]
        if word is None:
            return self._number(found)
        lower = word.lower()
        if self._material.words.counts[lower] > RARE:
            return word
        other = self._stand_ins.get(lower) or self._stand_in(lower)
        return other.upper() if word.isupper() else other.title() if word[0].isupper() else other

    def _stand_in(self, word: str) -> str:
        if self._new_words >= 1 or self._chance.random() < self._new_words:
            self._new_words -= 1
            other = self._material.coiner.coin(self._chance)
        else:
            other = self._chance.choice(self._material.rare)
        self._stand_ins[word] = other
        return other

    def _number(self, found: re.Match[str]) -> str:
        if day := found["day"]:
            moved = _moved(day.replace("-", ""), self._off)
            return f"{moved[:4]}-{moved[4:6]}-{moved[6:]}"
        if year := found["year"]:
            return str(int(year) + self._off)
        number = found["number"]
        digits = sum(map(str.isdigit, number)) if number else 0
        if number is None or not _LEAST_DIGITS <= digits <= _MOST_DIGITS or number[0] == "0":
            return found[0]
        first = self._chance.choices(_FIRST_DIGITS, _BENFORD)[0]
        drawn = iter(f"{self._chance.randrange(10 ** (digits - 1)):0{digits - 1}}")
        return first + "".join(next(drawn) if c.isdigit() else c for c in number[1:])


def documents(submission: str) -> Iterator[str]:
    """Yield the documents of a submission that have text."""
    for found in _DOCUMENT.finditer(submission):
        document = found[0]
        kind = _TYPE.search(document)
        text = _TEXT.search(document)
        if kind and text and kind[1] not in _NOT_TEXT and not _is_packed(text[0]):
            yield document


def _is_packed(text: str) -> bool:
    head = text[:400].lstrip()
    return head.startswith(("begin 6", "<PDF>")) or "\nbegin 6" in head


def _is_markup(document: str) -> bool:
    return _MARKUP.search(document, 0, 4_000) is not None


def _is_paragraph(chunk: str) -> bool:
    return len(chunk) >= _PARAGRAPH and sum(map(str.isalpha, chunk)) > len(chunk) * 0.6


def _chunks(document: str) -> Iterator[tuple[int, str]]:
    """Yield start and text of what people read: between tags, or between blank lines."""
    pattern = _BETWEEN_TAGS if _is_markup(document) else _BETWEEN_BLANK_LINES
    text = _TEXT.search(document)
    if text:
        for found in pattern.finditer(document, text.start(), text.end()):
            if not found[0].isspace():
                yield found.start(), found[0]


def _moved(day: str, off: int) -> str:
    """Return a day, YYYYMMDD, some years later, the 28th in place of the 29th of February."""
    year = int(day[:4]) + off
    is_missing = day[4:] == "0229" and not calendar.isleap(year)
    return f"{year}{'0228' if is_missing else day[4:]}"


def drawn(
    templates: Sequence[Template], copies: int, chance: Random
) -> Iterator[tuple[Template, int]]:
    """Yield each template once for each copy, in an order of its own each time."""
    for copy in range(copies):
        order = list(templates)
        chance.shuffle(order)
        for template in order:
            yield template, copy

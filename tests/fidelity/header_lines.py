"""A second reader of submission headers, line by line; it shares nothing with the parser.

It knows blocks and roles by lists, where the parser goes by what follows them. A header becomes one
flat table: the name of each fact and its text, such as `entity[0].business.city`.
"""

import re
from datetime import datetime, timedelta

ROLES = {
    "DEPOSITOR", "FILED BY", "FILED FOR", "FILER", "ISSUER", "ISSUING ENTITY", "REPORTING OWNER",
    "SECURITIZER", "SERIAL COMPANY", "SUBJECT COMPANY", "UNDERWRITER",
}  # fmt: skip
DATA = {"COMPANY DATA", "OWNER DATA"}
AROUND = {"SEC DOCUMENT", "SEC HEADER", "SERIES AND CLASSES CONTRACTS DATA"}
BLOCKS = {
    "FILING VALUES": "filing",
    "BUSINESS ADDRESS": "business",
    "MAIL ADDRESS": "mail",
    "FORMER COMPANY": "former",
    "FORMER NAME": "former",
}
FILING = {
    "ACCESSION NUMBER": "accession",
    "ACCEPTANCE DATETIME": "accepted",
    "CONFORMED SUBMISSION TYPE": "form",
    "TYPE": "form",
    "PUBLIC DOCUMENT COUNT": "count",
    "CONFORMED PERIOD OF REPORT": "period",
    "PERIOD": "period",
    "FILED AS OF DATE": "filed",
    "FILING DATE": "filed",
    "DATE AS OF CHANGE": "changed",
    "DATE OF FILING DATE CHANGE": "changed",
    "EFFECTIVENESS DATE": "effective",
}
LISTS = {"ITEM INFORMATION": "item", "ITEMS": "item", "GROUP MEMBERS": "member"}
ENTITY = {
    "COMPANY CONFORMED NAME": "name",
    "CONFORMED NAME": "name",
    "CENTRAL INDEX KEY": "cik",
    "CIK": "cik",
    "STANDARD INDUSTRIAL CLASSIFICATION": "industry",
    "ASSIGNED SIC": "industry",
    "ORGANIZATION NAME": "organization",
    "IRS NUMBER": "ein",
    "EIN": "ein",
    "STATE OF INCORPORATION": "state",
    "FISCAL YEAR END": "year end",
    "RELATIONSHIP": "relationship",
}
IN_BLOCK = {
    "FORM TYPE": "form", "SEC ACT": "act", "ACT": "act", "SEC FILE NUMBER": "file",
    "FILE NUMBER": "file", "FILM NUMBER": "film", "STREET 1": "street1", "STREET1": "street1",
    "STREET 2": "street2", "STREET2": "street2", "CITY": "city", "STATE": "state", "ZIP": "zip",
    "BUSINESS PHONE": "phone", "PHONE": "phone", "FORMER CONFORMED NAME": "name",
    "DATE OF NAME CHANGE": "since", "DATE CHANGED": "since",
}  # fmt: skip
SERIES = {"OWNER CIK": "owner", "SERIES ID": "id", "SERIES NAME": "name"}
CLASS = {
    "CLASS CONTRACT ID": "id",
    "CLASS CONTRACT NAME": "name",
    "CLASS CONTRACT TICKER SYMBOL": "ticker",
}

Facts = dict[str, str]


def header_facts(lines: list[str]) -> Facts:
    """Return the facts of a header's lines, in either dialect.

    A field without a value is not a fact.
    """
    walk = _Walk()
    for line in lines:
        line = line.strip()
        # `STANDARD INDUSTRIAL CLASSIFICATION: [3281` may have its bracket on the next line.
        line = line.removeprefix("]").strip()
        if tag := re.match(r"<(/?)([A-Z][A-Z0-9_-]*)>(.*)$", line):
            walk.take(re.sub("[_-]", " ", tag[2]), tag[3].strip(), closing=tag[1] == "/")
        elif label := re.match(r"([A-Z][^:<>a-z]*):(.*)$", line):
            walk.take(label[1].strip().replace("-", " "), label[2].strip(), closing=False)
        elif line:
            walk.go_on(line)
    return {name: value for name, text in walk.facts.items() if (value := _value(name, text))}


class _Walk:
    def __init__(self) -> None:
        self.facts: Facts = {}
        self.counts: dict[str, int] = {}
        self.place = ""  # the entity or series that the next lines are of
        self.block = ""
        self.group = ""
        self.last = ""

    def take(self, name: str, value: str, closing: bool) -> None:
        if closing:
            self._close(name)
        elif name in ROLES:
            self._entity(name)
        elif name in DATA:
            if not self.place.startswith("entity") or f"{self.place}.name" in self.facts:
                self._entity("")
            self.block = self.place
        elif name in BLOCKS:
            kind = BLOCKS[name]
            several = kind in ("filing", "former")
            self.block = self._next(f"{self.place}.{kind}") if several else f"{self.place}.{kind}"
        elif name in ("SERIES", "CLASS CONTRACT"):
            self._fund(name)
        elif name.endswith("SERIES AND CLASSES CONTRACTS"):
            self.group = name.split()[0].lower()
        elif name not in AROUND and (value or name not in LISTS):
            self._fact(name, value)

    def go_on(self, text: str) -> None:
        if self.last:
            self.facts[self.last] = f"{self.facts[self.last]} {text}".strip()

    def _close(self, name: str) -> None:
        if name == "CLASS CONTRACT":
            self.block = self.place
        elif name in ROLES or name == "MULTI ACCESSION NUMBERS":
            self.place = self.block = ""
        self.last = ""

    def _entity(self, role: str) -> None:
        self.place = self.block = self._next("entity")
        self.facts[f"{self.place}.role"] = role

    def _fund(self, name: str) -> None:
        if name == "SERIES":
            self.place = self.block = self._next("series")
            self.facts[f"{self.place}.group"] = self.group
        else:
            self.block = self._next(f"{self.place}.class")

    def _next(self, kind: str) -> str:
        number = self.counts.get(kind, 0)
        self.counts[kind] = number + 1
        return f"{kind}[{number}]"

    def _fact(self, name: str, value: str) -> None:
        if name == "MULTI ACCESSION NUMBERS":
            self.place = self.block = name
            return
        self.last = self._name(name)
        # A header that says something twice means the first.
        if self.last in self.facts:
            self.last = self._next(f"again {self.last}")
        self.facts[self.last] = value

    def _name(self, name: str) -> str:
        if self.place == "MULTI ACCESSION NUMBERS":
            return self._next(f"other.{self.place}")
        if name in FILING:
            return FILING[name]
        if name in LISTS:
            return self._next(LISTS[name])
        if name in ENTITY and self.place.startswith("entity"):
            return f"{self.place}.{ENTITY[name]}"
        if name in IN_BLOCK and self.block != self.place:
            return f"{self.block}.{IN_BLOCK[name]}"
        if name in SERIES and self.place.startswith("series"):
            return f"{self.place}.{SERIES[name]}"
        if name in CLASS:
            return f"{self.block}.{CLASS[name]}"
        return self._next(f"other.{name}")


def _value(name: str, text: str) -> str:
    """Return a fact's text in the one form that is compared: dates as digits, times in UTC."""
    if name == "accepted":
        return utc(text)
    if name == "form":
        return " ".join(text.upper().split())
    if name.endswith((".cik", ".owner")):
        return text.rjust(10, "0")
    if name.endswith(".industry"):
        return _industry(text)
    if not text and name.startswith("other."):
        return "present"
    return text


def _industry(text: str) -> str:
    """`NAME [0100]` of any of `NAME [100]`, `100`, `[100`; "" of `[]`."""
    words, code = text.rstrip("] "), ""
    if digits := re.search(r"\[?([0-9]+)$", words):
        words, code = words[: digits.start()], digits[1].rjust(4, "0")
    return f"{words.strip(' [')} [{code}]".strip() if code or words.strip(" [") else ""


def utc(eastern: str) -> str:
    """EDGAR's clock to UTC by the law's own rule, both as YYYYMMDDhhmmss."""
    local = datetime.strptime(eastern, "%Y%m%d%H%M%S")
    if local.year >= 2007:
        first, last = _sunday(local.year, 3, 2), _sunday(local.year, 11, 1)
    else:
        first, last = _sunday(local.year, 4, 1), _sunday(local.year, 11, 1) - timedelta(7)
    if local.year < 2007 and last.month == 11:
        last -= timedelta(7)
    summer = first + timedelta(hours=2) <= local < last + timedelta(hours=2)
    return (local + timedelta(hours=4 if summer else 5)).strftime("%Y%m%d%H%M%S")


def _sunday(year: int, month: int, number: int) -> datetime:
    """Return the first, second ... Sunday of a month."""
    first = datetime(year, month, 1)
    return first + timedelta((6 - first.weekday()) % 7 + 7 * (number - 1))

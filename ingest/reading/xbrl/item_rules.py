"""Rules for standard items: which lines of a statement they are, or add up."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from edgar_search.stored.financials import ItemRule
from ingest.reading.xbrl.faces import Amounts, Column, Face, FaceLine

# Axes whose members are not parts of the company: other views of it, or more than it.
_NO_PARTS = re.compile(
    "Scenario|Restatement|LegalEntity|EquityComponents|RelatedPart|Consolidat|VariableInterest"
    "|ClassOfStock|Adjustment|ParentCompany"
)
# Words for kinds of goods, and for revenues that have hardly any costs.
_KIND = re.compile(r"\b(product|good|service|merchandise|automotive|equipment)", re.IGNORECASE)
_WITHOUT_COSTS = re.compile(
    "royalt|licen[cs]|collabor|grant|milestone|membership|interest|investment|other", re.IGNORECASE
)
# A line that says both is a difference: "Proceeds from (repayments of) debt".
_OPPOSITE = re.compile(
    r"\((re)?payments|\(proceeds|\(reductions|\(additions|\(issuances", re.IGNORECASE
)
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_NO_WORD = re.compile(r"[^a-z,&'/-]+")
Part = Literal["current_assets", "current", "noncurrent", "any"]


class Term(NamedTuple):
    """Amounts that a rule adds, or subtracts if the sign is -1."""

    sign: int
    source: str
    amounts: Amounts


class Chosen(NamedTuple):
    """The terms of an item, of which a column needs all if it is `whole`, else at least one."""

    rule: ItemRule
    terms: Sequence[Term]
    whole: bool = True


class Line(NamedTuple):
    """One line: the first of these concepts, else the only line with such a label.

    With `topmost` a line comes after the one that it is a part of. `additive` is true if amounts of
    members add up when the statement lacks a line for the whole.
    """

    concepts: tuple[str, ...]
    called: str = ""
    topmost: bool = False
    additive: bool = True

    def choose(self, face: Face) -> Chosen | None:
        """Choose the line; None if the statement has none."""
        found = _of_concepts(face.lines, self.concepts)
        if self.topmost or not found:
            found += [each for each in _called(face.lines, self.called) if each not in found]
        new = [line for line in found if face.is_new(line.amounts)]
        whole = new or [line for line in found if line.amounts]
        if self.topmost:
            whole = _without_parts(face, whole)
        if whole and whole[0].name in self.concepts:
            return Chosen("line", [Term(1, whole[0].concept, whole[0].amounts)])
        if len(whole) == 1:
            return Chosen("label", [Term(1, whole[0].concept, whole[0].amounts)])
        return _sum_of_members(found) if self.additive and not whole else None


class Lines(NamedTuple):
    """The sum of all lines of these concepts, and a company's own lines with such labels.

    `general` concepts count in a part of the balance sheet only: before the total of current assets
    or liabilities, or after it.
    """

    concepts: tuple[str, ...]
    called: str = ""
    general: tuple[str, ...] = ()
    part: Part = "any"
    unclassified: tuple[str, ...] = ()

    def choose(self, face: Face) -> Chosen | None:
        """Choose the lines; None if the statement has none."""
        of_part = _part(face.lines, self.part)
        own = self.general if of_part is not None else self.unclassified
        nearby = face.lines if of_part is None else of_part
        names = {line.concept for line in nearby if line.name in own}
        found = [line for line in face.lines if line.name in self.concepts or line.concept in names]
        for line in _called(nearby, self.called):
            # A sheet without parts shows them only in labels such as "short-term debt".
            says_part = of_part is not None or self.part == "any" or "term" in line.label.lower()
            if says_part and line not in found:
                found.append(line)
        whole = _without_parts(face, [line for line in found if line.amounts])
        if whole:
            terms = [Term(1, line.concept, line.amounts) for line in _without_total(face, whole)]
            rule: ItemRule = "line" if len(terms) == 1 else "sum_of_lines"
            return Chosen(rule, terms, whole=len(terms) == 1)
        return _sum_of_members(found)


class Costs(NamedTuple):
    """The lines of costs, unless a line covers only one of several kinds of revenue."""

    concepts: tuple[str, ...]
    called: str

    def choose(self, face: Face) -> Chosen | None:
        """Choose the lines; None if the statement has none, or only a part of them."""
        found = Lines(self.concepts, self.called).choose(face)
        if found is None or len(found.terms) > 1:
            return found
        line = next(each for each in face.lines if each.concept == found.terms[0].source)
        total = next((n for n, each in enumerate(face.lines) if each.name == "Revenues"), 0)
        kinds = [
            each
            for each in face.lines[:total]
            if each.amounts and not _WITHOUT_COSTS.search(each.label)
        ]
        return None if len(kinds) > 1 and len(set(_kinds(line.label))) == 1 else found


def _kinds(label: str) -> list[str]:
    return [kind.lower() for kind in _KIND.findall(label)]


class Sum(NamedTuple):
    """A sum of lines that must all exist, each the first of some concepts; `-` subtracts.

    With `nested`, the second line must be an addend of the first.
    """

    groups: tuple[tuple[str, ...], ...]
    nested: bool = False

    def choose(self, face: Face) -> Chosen | None:
        """Choose the lines; None if one of them is missing."""
        terms = []
        for group in self.groups:
            sign = -1 if group[0].startswith("-") else 1
            names = tuple(name.removeprefix("-") for name in group)
            found = [line for line in _of_concepts(face.lines, names) if face.is_new(line.amounts)]
            if not found:
                return None
            terms.append(Term(sign, ("-" if sign < 0 else "") + found[0].concept, found[0].amounts))
        if self.nested and not face.adds_to(terms[1].source.removeprefix("-"), terms[0].source):
            return None
        return Chosen("sum_of_lines", terms)


class Subtracted(NamedTuple):
    """The lines that the statement subtracts to arrive at a total, by its own sums."""

    total: str

    def choose(self, face: Face) -> Chosen | None:
        """Choose the lines; None if the sums do not show them, or a line has no amount."""
        total = next((line for line in face.lines if line.name == self.total), None)
        if total is None or not face.is_new(total.amounts):
            return None
        addends = [each for each in face.sums.get(total.concept, ()) if each.weight < 0]
        by_concept = {line.concept: line for line in face.lines}
        lines = [by_concept[addend.concept] for addend in addends if addend.concept in by_concept]
        if not lines or len(lines) != len(addends) or not all(line.amounts for line in lines):
            return None
        terms = [Term(1, line.concept, line.amounts) for line in lines]
        return Chosen("calculation", terms, whole=len(terms) == 1)


Rule = Line | Lines | Costs | Sum | Subtracted


def _of_concepts(lines: Iterable[FaceLine], concepts: Sequence[str]) -> list[FaceLine]:
    """Return the lines of these concepts, in the order of the concepts."""
    by_name = {line.name: line for line in lines if line.name}
    return [by_name[name] for name in concepts if name in by_name]


def _called(lines: Iterable[FaceLine], called: str) -> Iterator[FaceLine]:
    if not called:
        return
    pattern = re.compile(called)
    for line in lines:
        if any("/" in column.unit for column in line.amounts):
            # After amounts per share, lines break down the ones above.
            return
        if _OPPOSITE.search(line.label):
            continue
        words = _ASIDE.sub(" ", line.label.lower()).replace("/ ", " ")
        words = _NO_WORD.sub(" ", words).strip(" ,-'/&")
        is_money = any(column.unit.isalpha() and column.unit.isupper() for column in line.amounts)
        if is_money and pattern.fullmatch(words):
            yield line


def _without_parts(face: Face, lines: Sequence[FaceLine]) -> list[FaceLine]:
    """Drop lines that are addends of others."""
    return [
        line
        for line in lines
        if not any(face.adds_to(line.concept, other.concept) for other in lines)
    ]


def _without_total(face: Face, lines: Sequence[FaceLine]) -> Sequence[FaceLine]:
    """Drop the others if one line is their sum, in filings that do not state their sums."""
    if face.sums:
        return lines
    labels = [line.label.lower() for line in lines]
    labelled = [
        line
        for line, label in zip(lines, labels, strict=True)
        if label.startswith("total ") or label.endswith(", total")
    ]
    if len(labelled) == 1:
        return labelled
    if len(lines) < 3:
        return lines
    newest = [column for column in lines[0].amounts if column.period in face.columns]
    for line in lines:
        others = [each for each in lines if each is not line]
        checked = [
            float(line.amounts[column].value or 0)
            == sum(float(other.amounts[column].value or 0) for other in others)
            for column in newest
            if all(column in each.amounts for each in lines)
        ]
        if checked and all(checked):
            return [line]
    return lines


def _part(lines: Sequence[FaceLine], part: Part) -> Sequence[FaceLine] | None:
    """Return the lines of a part of the balance sheet.

    None if no total on the sheet ends it.
    """
    names = [line.name for line in lines]
    total = "AssetsCurrent" if part == "current_assets" else "LiabilitiesCurrent"
    if part == "any" or total not in names:
        return None
    end = names.index(total)
    start = names.index("Assets") if "Assets" in names[:end] else 0
    return lines[end:] if part == "noncurrent" else lines[start:end]


def _sum_of_members(lines: Sequence[FaceLine]) -> Chosen | None:
    """Add up the members of a line, if only that line has members and no total."""
    candidates = [line for line in lines if not line.amounts and len(line.members) > 1]
    if len(candidates) != 1 or _NO_PARTS.search(candidates[0].members[0][0].partition("=")[0]):
        return None
    terms = [Term(1, source, amounts) for source, amounts in candidates[0].members]
    return Chosen("sum_of_members", terms, whole=False)


def columns_of(chosen: Chosen) -> Mapping[Column, list[Term]]:
    """Return the terms of each column in which the item has a value, in order."""
    columns: dict[Column, list[Term]] = {}
    for term in chosen.terms:
        for column in term.amounts:
            columns.setdefault(column, []).append(term)
    if chosen.whole:
        return {
            column: terms for column, terms in columns.items() if len(terms) == len(chosen.terms)
        }
    return columns

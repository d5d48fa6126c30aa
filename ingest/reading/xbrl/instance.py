"""The facts of an XBRL instance, each with its period, unit and dimensions; never through a float.

The instance is read as a stream, so that memory does not grow with its blocks of text.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from types import MappingProxyType
from typing import NamedTuple

from lxml import etree

from edgar_search.edgar.auditors import auditor_key
from edgar_search.stored.financials import StoredAuditor, StoredPlace
from ingest.reading.xbrl.xml_stream import XbrlError, elements

# More than any known filing has; each fact is a row of the index.
MAX_FACTS = 200_000
_XBRLI = "{http://www.xbrl.org/2003/instance}"
_DIMENSIONS = "{http://xbrl.org/2006/xbrldi}"
_NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"
_NUMBER = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,2}))?", re.ASCII)
# No amount needs more, and a double for sorting holds no more.
_MAX_NUMBER = 100
# The usual prefix of a standard taxonomy, whatever the instance calls it.
_STANDARD = re.compile(
    r"https?://(?:(?:fasb\.org|xbrl\.us|xbrl\.sec\.gov)/([a-z-]+)/[0-9-]+"
    r"|xbrl\.ifrs\.org/taxonomy/[0-9-]+/(ifrs-[a-z]+))"
)
NO_PLACES: Mapping[str, StoredPlace] = MappingProxyType({})
# A text about the filing is a name or a code; anything longer is not one.
_MAX_TEXT = 1_000
_AUDITOR, _LOCATION, _FIRM_ID = "AuditorName", "AuditorLocation", "AuditorFirmId"
# More than the auditors of any company and its subsidiaries.
_MOST_AUDITOR_TEXTS = 1_000
# Longer than any concept, axis, member or unit.
_LONGEST_NAME = 1_000


class Period(NamedTuple):
    """An instant, without a start, or the days from `start` to `end`, both counted."""

    start: date | None
    end: date

    @property
    def days(self) -> int:
        """The length in days; 0 for an instant."""
        return 0 if self.start is None else (self.end - self.start).days + 1


class Dimension(NamedTuple):
    """An axis and its member, or the text of a typed member, by their qualified names."""

    axis: str
    member: str


Dimensions = tuple[Dimension, ...]


class Context(NamedTuple):
    """The entity, the period and the sorted dimensions of facts."""

    entity: str
    period: Period
    dimensions: Dimensions


class Fact(NamedTuple):
    """A numeric fact: its value as a JSON number with the digits as filed, None if it is nil.

    `decimals` is None if the value is exact or they are not given. `place` is where a document's
    text first shows it. `doubt` says why the value may be wrong.
    """

    concept: str
    context: Context
    unit: str
    value: str | None
    decimals: int | None
    exact: bool = False
    place: StoredPlace | None = None
    doubt: str | None = None


class Instance(NamedTuple):
    """The numeric facts in the order of the file, and texts about the filing by their names.

    `auditor` is the auditor of the newest period, if the instance names exactly one.
    """

    facts: list[Fact]
    about: dict[str, str]
    auditor: StoredAuditor | None = None


def read_instance(data: bytes, places: Mapping[str, StoredPlace] = NO_PLACES) -> Instance:
    """Return the facts of an instance that have a context, a unit and a number.

    `places` are the positions of inline XBRL elements, by the ids that they share with facts. A
    fact that is filed several times is kept once, with its most precise value. Raises XbrlError for
    anything but an instance.
    """
    contexts: dict[str, Context] = {}
    units: dict[str, str] = {}
    raw_facts: list[_Found] = []
    about: dict[str, str] = {}
    auditors: list[_AuditorText] = []
    for element in elements(data, lambda _, depth: depth == 2):
        tag = element.tag
        if tag == f"{_XBRLI}context":
            if (context := _context(element)) is not None:
                contexts[element.get("id", "")] = context
        elif tag == f"{_XBRLI}unit":
            units[element.get("id", "")] = _unit(element)
        elif element.get("contextRef") is not None:
            _take(element, raw_facts, about, auditors)
    if not contexts:
        raise XbrlError("not an instance: it has no contexts")
    facts = _resolve(raw_facts, contexts, units, places)
    return Instance(facts, about, _auditor(auditors, contexts, places))


class _Found(NamedTuple):
    concept: str
    context: str
    unit: str
    value: str | None
    decimals: str | None
    id: str


class _AuditorText(NamedTuple):
    name: str
    context: str
    text: str
    id: str


def _take(
    element: etree._Element,
    found: list[_Found],
    about: dict[str, str],
    auditors: list[_AuditorText],
) -> None:
    concept, unit = _name(element.tag, element.nsmap), element.get("unitRef")
    text = (element.text or "").strip()
    if unit is None:
        prefix, _, local = concept.partition(":")
        if prefix == "dei" and text and len(text) <= _MAX_TEXT:
            about.setdefault(local, text)
            of_auditor = local in (_AUDITOR, _LOCATION, _FIRM_ID)
            if of_auditor and len(auditors) < _MOST_AUDITOR_TEXTS:
                context, text = element.get("contextRef", ""), " ".join(text.split())
                auditors.append(_AuditorText(local, context, text, element.get("id", "")))
        return
    nil = element.get(_NIL, "").strip() in ("true", "1")
    value = None if nil else json_number(text)
    if value is not None or nil:
        if len(found) == MAX_FACTS:
            raise XbrlError(f"more than {MAX_FACTS:,} facts")
        decimals = element.get("decimals")
        context, name = element.get("contextRef", ""), element.get("id", "")
        found.append(_Found(concept, context, unit, value, decimals, name))


def json_number(text: str) -> str | None:
    """Write a decimal number as JSON, with its digits as filed; None for anything else."""
    match = _NUMBER.fullmatch(text) if len(text) <= _MAX_NUMBER else None
    if match is None or not (match[2] or match[3]):
        return None
    sign, digits, fraction, exponent = match.groups()
    number = (digits.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
    is_zero = not number.strip("0.")
    return (
        ("-" if sign == "-" and not is_zero else "") + number + (f"E{exponent}" if exponent else "")
    )


def _resolve(
    found: list[_Found],
    contexts: Mapping[str, Context],
    units: Mapping[str, str],
    places: Mapping[str, StoredPlace],
) -> list[Fact]:
    facts: dict[tuple[str, Context, str], Fact] = {}
    for raw_fact in found:
        context, unit = contexts.get(raw_fact.context), units.get(raw_fact.unit)
        if context is None or not unit:
            continue
        key = (raw_fact.concept, context, unit)
        exact = raw_fact.decimals == "INF"
        place = places.get(raw_fact.id)
        fact = Fact(*key, raw_fact.value, _decimals(raw_fact.decimals), exact, place)
        earlier = facts.get(key)
        if earlier is None or _precision(fact) > _precision(earlier):
            facts[key] = fact
        elif place and earlier._replace(place=place) == fact and _is_before(place, earlier.place):
            facts[key] = fact
    return list(facts.values())


def _auditor(
    texts: Iterable[_AuditorText],
    contexts: Mapping[str, Context],
    places: Mapping[str, StoredPlace],
) -> StoredAuditor | None:
    """Return the company's auditor in the newest period that has one.

    None if that period has several, or if only parts of the company have any.
    """
    whole = [
        (contexts[each.context].period.end, each)
        for each in texts
        if each.context in contexts and not contexts[each.context].dimensions
    ]
    newest = max((end for end, each in whole if each.name == _AUDITOR), default=None)
    given: dict[str, list[_AuditorText]] = {_AUDITOR: [], _LOCATION: [], _FIRM_ID: []}
    for end, each in whole:
        if end == newest:
            given[each.name].append(each)
    names = given[_AUDITOR]
    keys = {auditor_key(each.text) for each in names}
    if len(keys) != 1 or "" in keys:
        return None
    place = next((places[each.id] for each in names if each.id in places), None)
    location, firm_id = _only_text(given[_LOCATION]), _only_text(given[_FIRM_ID])
    return StoredAuditor(names[0].text, location, firm_id, place)


def _only_text(given: Iterable[_AuditorText]) -> str | None:
    texts = {each.text for each in given}
    return texts.pop() if len(texts) == 1 else None


def _is_before(place: StoredPlace, known: StoredPlace | None) -> bool:
    """Return True if a position is earlier in the same text.

    Of two texts the first one counts.
    """
    if known is None:
        return True
    return place.document_id == known.document_id and place.start < known.start


def _precision(fact: Fact) -> tuple[bool, bool, int]:
    return fact.value is not None, fact.exact, -99 if fact.decimals is None else fact.decimals


def _decimals(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"[+-]?[0-9]{1,2}", text, re.ASCII) else None


def _context(element: etree._Element) -> Context | None:
    entity = element.findtext(f"{_XBRLI}entity/{_XBRLI}identifier", "").strip()
    period = _period(element.find(f"{_XBRLI}period"))
    if period is None:
        return None
    parts = (
        member
        for path in (f"{_XBRLI}entity/{_XBRLI}segment", f"{_XBRLI}scenario")
        for parent in element.iterfind(path)
        for member in parent.iterchildren("*")
    )
    return Context(entity, period, tuple(sorted(map(_dimension, parts))))


def _dimension(element: etree._Element) -> Dimension:
    """Return a dimension.

    An element from before dimensions is its own axis and member.
    """
    if element.tag == f"{_DIMENSIONS}explicitMember":
        member = _usual_name((element.text or "").strip(), element.nsmap)
        return Dimension(_usual_name(element.get("dimension", ""), element.nsmap), member)
    member = " ".join("".join(map(str, element.itertext())).split())[:_MAX_TEXT]
    if element.tag == f"{_DIMENSIONS}typedMember":
        return Dimension(_usual_name(element.get("dimension", ""), element.nsmap), member)
    return Dimension(_name(str(element.tag), element.nsmap), member)


def _period(element: etree._Element | None) -> Period | None:
    if element is None:
        return None
    instant = _day(element.findtext(f"{_XBRLI}instant"), last=True)
    if instant is not None:
        return Period(None, instant)
    start = _day(element.findtext(f"{_XBRLI}startDate"), last=False)
    end = _day(element.findtext(f"{_XBRLI}endDate"), last=True)
    return Period(start, end) if start and end and start <= end else None


def _day(text: str | None, *, last: bool) -> date | None:
    """Return the first or last day of a period; midnight at its end belongs to the day before."""
    day, _, time = (text or "").strip().partition("T")
    try:
        parsed = date.fromisoformat(day[:10])
        return parsed - timedelta(1) if last and time.startswith("00:00:00") else parsed
    except (ValueError, OverflowError):
        return None


def _unit(element: etree._Element) -> str:
    """Return the local names of the measures: `USD`, `shares`, `USD/shares`."""
    parts = [
        "*".join(
            (each.text or "").strip().rpartition(":")[2] for each in group.iter(f"{_XBRLI}measure")
        )
        for path in (
            f"{_XBRLI}divide/{_XBRLI}unitNumerator",
            f"{_XBRLI}divide/{_XBRLI}unitDenominator",
        )
        for group in element.iterfind(path)
    ]
    if parts:
        return _bounded("/".join(parts))
    measures = [(each.text or "").strip() for each in element.iterfind(f"{_XBRLI}measure")]
    return _bounded("*".join(measure.rpartition(":")[2] for measure in measures))


def _bounded(name: str) -> str:
    """Return a name.

    Raises XbrlError for one longer than any taxonomy has, which no index would accept.
    """
    if len(name) > _LONGEST_NAME:
        raise XbrlError(f"a name of more than {_LONGEST_NAME:,} characters: {name[:40]!r}")
    return name


def _name(tag: str, namespaces: Mapping[str | None, str]) -> str:
    uri, _, local = tag.removeprefix("{").partition("}")
    if match := _STANDARD.fullmatch(uri):
        return _bounded(f"{match[1] or match[2]}:{local}")
    prefix = next((key for key, value in namespaces.items() if key and value == uri), "")
    return _bounded(f"{prefix}:{local}")


def _usual_name(name: str, namespaces: Mapping[str | None, str]) -> str:
    """Rewrite a qualified name with the usual prefix."""
    prefix, _, local = name.rpartition(":")
    match = _STANDARD.fullmatch(namespaces.get(prefix, ""))
    return _bounded(f"{match[1] or match[2]}:{local}" if match else name)

"""Writes the forms of a family by rules, and elements that no rule names."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from msgspec import Struct

from edgar_search.edgar import codes
from edgar_search.text.forms.elements import Element, Rows, Run, Step, Steps
from edgar_search.text.forms.lines import FormLines

Composer = Callable[["FormWriter", Element], None]
Codes = Mapping[str, str]

# Element names are compounds; these are the abbreviations in them.
_WORDS = {
    "addl": "additional",
    "addr": "address",
    "admin": "administrator",
    "admins": "administrators",
    "aff": "affiliated",
    "affil": "affiliate",
    "aft": "after",
    "agent": "agent",
    "aggr": "aggregate",
    "agrmt": "agreement",
    "amt": "amount",
    "amts": "amounts",
    "annualized": "annualized",
    "appr": "appreciation",
    "approx": "approximate",
    "attr": "attributable to",
    "avg": "average",
    "borr": "borrowed",
    "bus": "business",
    "cat": "category",
    "cats": "categories",
    "cco": "chief compliance officer",
    "cd": "code",
    "cent": "central",
    "ceo": "CEO",
    "collatrl": "collateral",
    "comp": "company",
    "contngt": "contingent",
    "conv": "conversion",
    "convrtbl": "convertible",
    "cparty": "counterparty",
    "crd": "CRD",
    "csh": "cash",
    "ctrld": "controlled",
    "cur": "currency",
    "curr": "currency",
    "cusip": "CUSIP",
    "cusips": "CUSIPs",
    "cik": "CIK",
    "ccc": "CCC",
    "debt": "debt",
    "delay": "delayed",
    "deliv": "delivery",
    "deriv": "derivative",
    "desc": "description",
    "dissem": "disseminated",
    "dt": "date",
    "edgar": "EDGAR",
    "etf": "ETF",
    "exch": "exchange",
    "exchg": "exchange",
    "exp": "expiration",
    "explntr": "explanatory",
    "figi": "FIGI",
    "fwd": "forward",
    "futr": "future",
    "gen": "general",
    "inc": "incorporation",
    "ind": "index",
    "info": "information",
    "int": "interest",
    "intrst": "interest",
    "invst": "investment",
    "inv": "investment",
    "ipa": "IPA",
    "irs": "IRS",
    "isin": "ISIN",
    "iss": "issuer",
    "lei": "LEI",
    "liabs": "liabilities",
    "liquid": "liquid",
    "mandatory": "mandatory",
    "mgmt": "management",
    "mnthly": "monthly",
    "mon": "months",
    "mon1": "month 1",
    "mon2": "month 2",
    "mon3": "month 3",
    "instr": "instruments,",
    "no": "number",
    "num": "number",
    "oth": "other",
    "pcaob": "PCAOB",
    "pct": "percentage",
    "pd": "period",
    "pmnt": "payment",
    "pmnts": "payments",
    "prev": "previous",
    "prof": "profile",
    "pur": "purchased",
    "rcpt": "receipt",
    "rec": "receipt",
    "ref": "reference",
    "reg": "registrant",
    "rep": "reporting",
    "rpt": "report",
    "rptd": "reported",
    "rt": "rate",
    "rtn": "return",
    "rtn1": "month 1",
    "rtn2": "month 2",
    "rtn3": "month 3",
    "sd": "standard deviation",
    "sec": "SEC",
    "sprd": "spread",
    "tot": "total",
    "trans": "transaction",
    "tx": "",
    "underlyer": "underlier",
    "usd": "in U.S. dollars",
    "val": "value",
    "var": "value at risk",
    "yr": "year",
}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W_]+")
_YES_OR_NO = re.compile("is|are|did|has|have|does|was")

# Names of amounts and counts, not of identifying numbers.
_AMOUNT = re.compile(
    r"(?:amount|amt|asset|assets|liabs|balance|bought|commission|commissions|compensation|cost"
    r"|debt|earned|fee|fees|gain|income|investment|offered|outstanding|owned|power|price|proceeds"
    r"|received|redemption|reinvestment|revenue|sales|shares|size|sold|tax|total|units|usd|val"
    r"|value|volume|worth|year)(?:s|total|usd|sold)?$",
    re.IGNORECASE,
)
_NUMBER_OF_SHARES = re.compile(r"Num(?:ber)?OfShares$|^amountOf")
_NOT_AMOUNT = re.compile(r"^(?:calendar|fiscal|report|tax)?year|number|date|no$", re.IGNORECASE)

_ADDRESSES = frozenset(
    "address aedgarAddress businessAddress issuerAddress issuerPrincipalAddress"
    " issuerPrincipalExecutiveOfficeAddress personAddress recipientAddress relatedPersonAddress"
    " reportingOwnerAddress signerAddress".split()
)
STATE_CODES = dict.fromkeys(
    (
        "stateOrCountry",
        "rptOwnerState",
        "citizenshipOrOrganization",
        "jurisdictionOrganization",
        "issueJurisdictionSecuritiesOffering",
        "registrantstate",
        "stateOfIncorporation",
    ),
    codes.STATES,
)


class Family(Struct, frozen=True):
    """The forms of a family: their titles, and labels that differ from the element's name.

    `composers` write whole elements of these names; `rows` are the ones among them that are read as
    rows.
    """

    titles: Mapping[str, str]
    labels: Mapping[str, str] = {}
    codes: Mapping[str, Codes] = {}
    composers: Mapping[str, Composer] = {}
    rows: Rows | None = None

    @property
    def composed(self) -> frozenset[str]:
        """The names of the elements that are written as a whole."""
        return _ADDRESSES.union(self.composers)

    def label(self, name: str) -> str:
        """Return the label of an element or attribute."""
        return self.labels.get(name) or words_of(name)

    def words(self, name: str, value: str) -> str:
        """Return the meaning of a code, or "" if it is unknown."""
        table = self.codes.get(name) or STATE_CODES.get(name)
        if table is None:
            table = _flags(name)
        words = table.get(value, "")
        return "" if words == value else words


_FLAGS_ANYWHERE = {"true": "yes", "false": "no", "Y": "yes", "N": "no"}


@lru_cache(4096)
def _flags(name: str) -> Codes:
    """Return the words for flags; 1 and 0 are flags only if the name begins like one."""
    return codes.FLAGS if _YES_OR_NO.match(name) else _FLAGS_ANYWHERE


class FormWriter:
    """Writes a form of `family` from the steps through its XML."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.lines = FormLines()
        self._headings: list[str | None] = []  # the enclosing groups' headings; None once written
        self._parents: list[str] = []
        # Elements of the composed one. Not their ids, because a freed element's id is reused.
        self._written: set[Element] = set()
        self.has_table = False  # the column headings of a table have been written

    def write(self, steps: Steps) -> None:
        """Write everything that `steps` yield."""
        for step, element in steps:
            if step is Step.WHOLE:
                self._write_whole(element)
            elif step is Step.START:
                self._start_group(element)
            else:
                self._end_group(element)

    def _start_group(self, element: Element) -> None:
        # The root is the form, which the first line names.
        self._headings.append(self.family.label(element.name) if self._parents else None)
        self._parents.append(element.name)
        if element.attributes:
            self._write_leaf(Element(element.name, element.attributes))

    def _end_group(self, element: Element) -> None:
        if element.runs:
            self._write_leaf(_text_only(element))
        self._headings.pop()
        self._parents.pop()
        self.lines.end_paragraph()

    def _write_whole(self, element: Element) -> None:
        self._written.clear()
        composer = self.family.composers.get(element.name)
        if composer is None and element.name in _ADDRESSES:
            composer = write_address
        if composer is not None and (element.children or element.cells):
            self._write_heading(own=False)
            composer(self, element)
            self.rest(element)
        elif element.children:
            self.rest(element)
        else:
            self._write_leaf(element)

    def rest(self, element: Element) -> None:
        """Write the parts of `element` that have not been written yet."""
        if not element.children:
            self._write_leaf(element)
            return
        if all(leaf in self._written for leaf in element.leaves()):
            return
        self._start_group(element)
        for child in element.children:
            if child.children and child.name in _ADDRESSES:
                write_address(self, child)
            self.rest(child)
        self._end_group(element)

    def _write_leaf(self, element: Element) -> None:
        if element in self._written or not (element.runs or element.attributes):
            return
        self._written.add(element)
        name = element.name
        if name == "value" and self._parents:
            name = self._parents[-1]
        self._write_heading(own=name != element.name)
        self.lines.add(f"{self.family.label(name)}: ")
        self.value(element)
        self.lines.end_line()

    def _write_heading(self, own: bool) -> None:
        """Write the heading of the innermost group, before its first line."""
        if self._headings and (heading := self._headings[-1]) is not None:
            self._headings[-1] = None
            if not own:
                self.lines.end_paragraph()
                self.lines.add(heading)
                self.lines.end_line()

    def done(self, element: Element) -> None:
        """Mark a leaf as written."""
        self._written.add(element)

    def value(self, element: Element) -> None:
        """Add a leaf's value, with the meaning of a code, and its attributes."""
        self.done(element)
        for number, run in enumerate(element.runs):
            if number:
                self.lines.add(" ")
            self._run(element.name, run)
        for number, (name, run) in enumerate(element.attributes.items()):
            if number or element.runs:
                self.lines.add("; ")
            if name != "value":
                self.lines.add(f"{self.family.label(name)} ")
            self._run(name, run)

    def _run(self, name: str, run: Run) -> None:
        if is_amount(name):
            self.lines.add_number(run)
        else:
            self.lines.add_value(run)
        if words := self.family.words(name, run.raw):
            self.lines.add(f", {words}")

    def line(self, label: str, element: Element | None) -> None:
        """Write a line for a leaf if it exists and has a value."""
        if element is not None and (element.runs or element.attributes):
            self.lines.add(f"{label}: ")
            self.value(element)
            self.lines.end_line()

    def write_row(self, element: Element, label: str) -> None:
        """Write everything in `element` as one line after `label`."""
        self.lines.add(f"{label}: ")
        for number, leaf in enumerate(element.leaves()):
            if number:
                self.lines.add("; ")
            self.lines.add(f"{self.family.label(leaf.name)} ")
            self.value(leaf)
        self.lines.end_line()


def write_address(writer: FormWriter, element: Element) -> None:
    """Write an address as one line."""
    writer.lines.add(f"{writer.family.label(element.name)}: ")
    for number, leaf in enumerate(element.leaves()):
        if number:
            writer.lines.add(", ")
        writer.value(leaf)
    writer.lines.end_line()


@lru_cache(4096)
def is_amount(name: str) -> bool:
    """Return True if elements of this name contain amounts or counts, not identifying numbers."""
    if _NUMBER_OF_SHARES.search(name):
        return True
    return bool(_AMOUNT.search(name)) and not _NOT_AMOUNT.search(name)


@lru_cache(4096)
def words_of(name: str) -> str:
    """Split an element's name into words, spelled out: "totAssets" is "Total assets"."""
    name = _SPECIAL.get(name, name)
    parts = [_WORDS.get(part.lower(), part) for part in _WORD.findall(name)]
    words = [part if _is_abbreviation(part) else part[:1].lower() + part[1:] for part in parts]
    if len(words) > 1 and _YES_OR_NO.fullmatch(words[0]) and words[0] == "is":
        words = words[1:]
    sentence = " ".join(filter(None, words))
    return sentence[:1].upper() + sentence[1:]


def _is_abbreviation(part: str) -> bool:
    return len(part) > 1 and part[:2].upper() == part[:2]


_SPECIAL = {"schemaVersion": "versionOfSchema", "liveTestFlag": "liveOrTest"}


def _text_only(element: Element) -> Element:
    leaf = Element(element.name, {})
    leaf.runs = element.runs
    return leaf

"""Schedules 13D and 13G in XML, which use different names for the same fields."""

import re
from collections.abc import Iterator

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.submission import Document, Header
from edgar_search.stored.ownership import StakePerson, StakePower, StoredStake
from edgar_search.text.forms.elements import Element, FormRefused, walk
from ingest.reading.ownership.values import CUT_OFF, BytePlaces, Values, names_left_out

FORM_TYPE = re.compile(rb"<(?:\w+:)?submissionType>\s*SCHEDULE 13[DG]")
# More than any schedule has.
MOST_PERSONS = 500
# The names of 13D, then of 13G.
_PERSON = ("reportingPersonInfo", "coverPageHeaderReportingPersonDetails")
_EVENT = ("dateOfEvent", "eventDateRequiresFilingThisStatement")
_ISSUER_CIK = ("issuerCIK", "issuerCik")
_CUSIPS = ("issuerCUSIP", "issuerCusip", "issuerCusipNumber")
_SHARES = (
    "aggregateAmountOwned",
    "reportingPersonBeneficiallyOwnedAggregateNumberOfShares",
)
_PERCENT = ("percentOfClass", "classPercent")


def stakes(header: Header, document: Document) -> Iterator[StoredStake]:
    """Yield the one row of a schedule; truncated XML is read as far as possible."""
    xml = decode_bytes(document.body)
    form = Element("edgarSubmission", {})
    is_whole = xml.rstrip().endswith(">")
    try:
        form = next((element for _, element in walk(xml, {"edgarSubmission"})), form)
    except FormRefused:
        is_whole = False
    places, values = BytePlaces(document.body, xml), Values()
    cover = form.find("formData", "coverPageHeader") or Element("", {})
    issuer = cover.find("issuerInfo") or Element("", {})
    person_elements = [element for element in form.below() if element.name in _PERSON]
    persons = [_person(element, values) for element in person_elements[:MOST_PERSONS]]
    filers = [
        values.cik(element) for element in form.below() if element.name in ("cik", "filerCik")
    ]
    cusips = [values.cusip(element) for element in issuer.below() if element.name in _CUSIPS]
    ciks = [cik for cik in (*(person.cik for person in persons), *filers) if cik]
    yield StoredStake(
        document_id=document.document_id,
        accession_number=header.accession_number,
        number=0,
        form_type=header.form_type,
        filing_date=header.filing_date,
        event_date=values.day(_first(cover, _EVENT)),
        issuer_cik=values.cik(_first(issuer, _ISSUER_CIK)),
        issuer_name=values.text(issuer.find("issuerName")) or "",
        security_class=values.text(cover.find("securitiesClassTitle")),
        cusips=list(dict.fromkeys(cusip for cusip in cusips if cusip)),
        persons=persons,
        person_ciks=list(dict.fromkeys(ciks)),
        person_names=[person.name for person in persons],
        amends=values.text(form.find("headerData", "previousAccessionNumber")),
        start=places.place(form.start),
        end=places.place(form.end),
        not_read=[
            *values.not_read,
            *names_left_out(len(person_elements), MOST_PERSONS),
            *([] if is_whole else [CUT_OFF]),
        ],
    )


def _person(person: Element, values: Values) -> StakePerson:
    # 13G puts the four powers into a group of their own.
    powers = person.find("reportingPersonBeneficiallyOwnedNumberOfShares") or person
    return StakePerson(
        cik=values.cik(person.find("reportingPersonCIK")),
        name=values.text(person.find("reportingPersonName")) or "",
        types=[kind.text for kind in person.all("typeOfReportingPerson") if kind.text],
        shares=values.decimal(_first(person, _SHARES)),
        percent=values.decimal(_first(person, _PERCENT)),
        voting=StakePower(
            values.decimal(powers.find("soleVotingPower")),
            values.decimal(powers.find("sharedVotingPower")),
        ),
        dispositive=StakePower(
            values.decimal(powers.find("soleDispositivePower")),
            values.decimal(powers.find("sharedDispositivePower")),
        ),
    )


def _first(element: Element, names: tuple[str, ...]) -> Element | None:
    """Return the first child of one of these names."""
    return next((child for child in element.children if child.name in names), None)

"""Form 144 in XML: securities that insiders plan to sell, a row for each class and broker."""

import re
from collections.abc import Iterator

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.submission import Document, Header
from edgar_search.stored.ownership import PastSale, StoredPlannedSale
from edgar_search.text.forms.elements import Element, FormRefused, walk
from ingest.reading.ownership.values import CUT_OFF, BytePlaces, Values, names_left_out

FORM_TYPE = re.compile(rb"<(?:\w+:)?submissionType>\s*144(?:/A)?\s*<")
# More than any notice has.
MOST_ROWS = 500


def planned_sales(header: Header, document: Document) -> Iterator[StoredPlannedSale]:
    """Yield the rows of a notice in order; truncated XML is read as far as possible."""
    xml = decode_bytes(document.body)
    root = Element("edgarSubmission", {})
    is_whole = xml.rstrip().endswith(">")
    try:
        root = next((element for _, element in walk(xml, {"edgarSubmission"})), root)
    except FormRefused:
        is_whole = False
    places, whole = BytePlaces(document.body, xml), Values()
    form = root.find("formData") or Element("", {})
    issuer = form.find("issuerInfo") or Element("", {})
    relationships = [
        element for element in issuer.below() if element.name == "relationshipToIssuer"
    ]
    sold = form.all("securitiesSoldInPast3Months")
    past = [_past_sale(element, whole) for element in sold[:MOST_ROWS]]
    plans = [whole.day(element) for element in form.below() if element.name == "planAdoptionDate"]
    issuer_cik = whole.cik(issuer.find("issuerCik"))
    planned = form.all("securitiesInformation")
    rows = planned[:MOST_ROWS]
    remarks = [
        *names_left_out(max(len(planned), len(sold)), MOST_ROWS),
        *([] if is_whole else [CUT_OFF]),
    ]
    for number, row in enumerate(rows):
        values = Values()
        yield StoredPlannedSale(
            document_id=document.document_id,
            accession_number=header.accession_number,
            number=number,
            form_type=header.form_type,
            filing_date=header.filing_date,
            issuer_cik=issuer_cik,
            issuer_name=whole.text(issuer.find("issuerName")) or "",
            seller=whole.text(issuer.find("nameOfPersonForWhoseAccountTheSecuritiesAreToBeSold")),
            relationships=[
                relationship.text for relationship in relationships if relationship.text
            ],
            security_class=values.text(row.find("securitiesClassTitle")),
            shares=values.decimal(row.find("noOfUnitsSold")),
            value=values.decimal(row.find("aggregateMarketValue")),
            outstanding=values.decimal(row.find("noOfUnitsOutstanding")),
            sale_date=values.day(row.find("approxSaleDate")),
            broker=values.text(row.find("brokerOrMarketmakerDetails", "name")),
            exchange=values.text(row.find("securitiesExchangeName")),
            past_sales=past,
            plan_dates=list(dict.fromkeys(day for day in plans if day)),
            amends=whole.text(root.find("headerData", "previousAccessionNumber")),
            start=places.place(row.start),
            end=places.place(row.end),
            not_read=[
                *whole.not_read,
                *values.not_read,
                *(remarks if number == len(rows) - 1 else []),
            ],
        )


def _past_sale(sale: Element, values: Values) -> PastSale:
    return PastSale(
        seller=values.text(sale.find("sellerDetails", "name")),
        security_class=values.text(sale.find("securitiesClassTitle")),
        sale_date=values.day(sale.find("saleDate")),
        shares=values.decimal(sale.find("amountOfSecuritiesSold")),
        proceeds=values.decimal(sale.find("grossProceeds")),
    )

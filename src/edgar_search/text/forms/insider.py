"""Forms 3, 4 and 5: securities that insiders hold, buy and sell."""

from edgar_search.edgar import codes
from edgar_search.text.forms.elements import Element, Run
from edgar_search.text.forms.families import Family, FormWriter

# The words that people search for; the code's own meaning follows.
_SELLING_AND_BUYING = {"S": "Insider selling", "P": "Insider buying"}


def _write_issuer(writer: FormWriter, issuer: Element) -> None:
    lines = writer.lines
    lines.add("Issuer: ")
    if name := issuer.find("issuerName"):
        writer.value(name)
    if symbol := issuer.find("issuerTradingSymbol"):
        lines.add(", trading symbol ")
        writer.value(symbol)
    if cik := issuer.find("issuerCik"):
        lines.add(", CIK ")
        writer.value(cik)
    lines.end_line()


def _write_owner(writer: FormWriter, owner: Element) -> None:
    lines = writer.lines
    lines.end_paragraph()
    lines.add("Reporting owner: ")
    if name := owner.find("reportingOwnerId", "rptOwnerName"):
        writer.value(name)
    if cik := owner.find("reportingOwnerId", "rptOwnerCik"):
        lines.add(", CIK ")
        writer.value(cik)
    lines.end_line()
    for address in owner.all("reportingOwnerAddress"):
        if next(address.leaves(), None):
            lines.add("Address: ")
            for number, leaf in enumerate(address.leaves()):
                lines.add(", " if number else "")
                writer.value(leaf)
            lines.end_line()
    if relationship := owner.find("reportingOwnerRelationship"):
        lines.add("Relationship to issuer: ")
        for number, leaf in enumerate(relationship.leaves()):
            lines.add("; " if number else "")
            lines.add(f"{writer.family.label(leaf.name)} ")
            writer.value(leaf)
        lines.end_line()


def _write_transaction(writer: FormWriter, transaction: Element) -> None:
    lines = writer.lines
    lines.end_paragraph()
    code = transaction.find("transactionCoding", "transactionCode")
    lines.add(_SELLING_AND_BUYING.get(code.text if code else "", "Insider transaction"))
    _add(writer, " on ", transaction.find("transactionDate"))
    _add(writer, ": ", transaction.find("transactionCoding"), "transactionCode")
    lines.end_line()
    shares = transaction.find("transactionAmounts", "transactionShares")
    if shares is not None:
        _add(writer, "", shares)
        lines.add(" shares of ")
    else:
        total = transaction.find("transactionAmounts", "transactionTotalValue")
        _add(writer, "", total)
        lines.add(" in total of " if total is not None else "")
    _add(writer, "", transaction.find("securityTitle"))
    _add(writer, " at $", transaction.find("transactionAmounts", "transactionPricePerShare"))
    disposed = transaction.find("transactionAmounts", "transactionAcquiredDisposedCode")
    _add(writer, ", ", disposed)
    lines.end_line()
    _write_position(writer, transaction)


def _write_holding(writer: FormWriter, holding: Element) -> None:
    writer.lines.end_paragraph()
    writer.lines.add("Insider holding: ")
    _add(writer, "", holding.find("securityTitle"))
    writer.lines.end_line()
    _write_position(writer, holding)


def _write_position(writer: FormWriter, row: Element) -> None:
    """Write the holdings after a transaction, and the underlying security of a derivative."""
    lines = writer.lines
    _line(writer, "Conversion or exercise price", row.find("conversionOrExercisePrice"), "$")
    _line(writer, "Date exercisable", row.find("exerciseDate"))
    _line(writer, "Expiration date", row.find("expirationDate"))
    if underlying := row.find("underlyingSecurity"):
        lines.add("Underlying securities: ")
        shares = underlying.find("underlyingSecurityShares")
        _add(writer, "", shares)
        lines.add(" shares of " if shares is not None else "")
        _add(writer, "", underlying.find("underlyingSecurityTitle"))
        lines.end_line()
    owned = row.find("postTransactionAmounts", "sharesOwnedFollowingTransaction")
    value = row.find("postTransactionAmounts", "valueOwnedFollowingTransaction")
    nature = row.find("ownershipNature")
    if owned is not None or value is not None or nature is not None:
        is_transaction = row.name.endswith("Transaction")
        lines.add("Owned following the transaction: " if is_transaction else "Owned: ")
        _add(writer, "", owned)
        _add(writer, "$" if owned is None else ", $", value)
        if nature is not None:
            _add(writer, ", ", nature.find("directOrIndirectOwnership"))
            _add(writer, ", ", nature.find("natureOfOwnership"))
        lines.end_line()
    _line(writer, "Deemed execution date", row.find("deemedExecutionDate"))
    _line(writer, "Reported", row.find("transactionTimeliness"))
    if coding := row.find("transactionCoding"):
        writer.line("Form of the transaction", coding.find("transactionFormType"))
        writer.line("Equity swap involved", coding.find("equitySwapInvolved"))


def _add(writer: FormWriter, before: str, group: Element | None, value: str = "value") -> None:
    """Add a value with its footnote marks, if the element exists."""
    if group is None:
        return
    leaf = group.find(value)
    notes = [child for child in group.leaves() if child.name == "footnoteId"]
    if leaf is None and group.runs:
        leaf = group
    if not (leaf is not None and leaf.runs) and not notes:
        return
    writer.lines.add(before)
    if leaf is not None:
        for run in leaf.runs:
            writer.lines.add_number(run) if _is_number(group) else writer.lines.add_value(run)
            if words := writer.family.words(leaf.name if value != "value" else group.name, run.raw):
                writer.lines.add(f", {words}")
        writer.done(leaf)
    for note in notes:
        _add_mark(writer, note)


def _is_number(group: Element) -> bool:
    return any(part in group.name.lower() for part in ("shares", "price", "value"))


def _add_mark(writer: FormWriter, note: Element, before: str = " ") -> None:
    """Add the number of a footnote: (1) for the id F1."""
    writer.done(note)
    if mark := note.attributes.get("id"):
        writer.lines.add(f"{before}(")
        is_numbered = mark.raw[:1] == "F" and mark.raw[1:].isdigit()
        writer.lines.add_value(Run(mark.raw[1:], mark.start + 1) if is_numbered else mark)
        writer.lines.add(")")


def _line(writer: FormWriter, label: str, group: Element | None, before: str = "") -> None:
    if group is not None and next(group.leaves(), None) is not None:
        has_value = group.find("value") is not None
        writer.lines.add(f"{label}: {before}" if has_value else f"{label}:")
        _add(writer, "", group)
        writer.lines.end_line()


def _write_footnotes(writer: FormWriter, notes: Element) -> None:
    writer.lines.end_paragraph()
    writer.lines.add("Explanation of responses")
    for note in notes.all("footnote"):
        writer.lines.end_line()
        _add_mark(writer, note, "")
        writer.lines.add(" ")
        for run in note.runs:
            writer.lines.add_value(run)
    writer.lines.end_line()


FAMILY = Family(
    titles={form: f"Form {form}: {words}" for form, words in codes.OWNERSHIP_FORMS.items()},
    labels={
        "ownershipDocument": "Form",
        "documentType": "Form type",
        "periodOfReport": "Date of earliest transaction, event or fiscal year end",
        "dateOfOriginalSubmission": "Date of original filing, of an amendment",
        "notSubjectToSection16": "No longer subject to Section 16",
        "noSecuritiesOwned": "No securities are beneficially owned",
        "form3HoldingsReported": "Form 3 holdings reported",
        "form4TransactionsReported": "Form 4 transactions reported",
        "aff10b5One": "Transaction under a Rule 10b5-1(c) plan",
        "isDirector": "Director",
        "isOfficer": "Officer",
        "isTenPercentOwner": "10% owner",
        "isOther": "Other",
        "officerTitle": "Officer title",
        "otherText": "Other relationship",
        "nonDerivativeTable": "Table I: Non-derivative securities acquired, disposed of, or"
        " beneficially owned",
        "derivativeTable": "Table II: Derivative securities acquired, disposed of, or beneficially"
        " owned",
        "nonDerivativeSecurity": "Table I: Non-derivative securities",
        "derivativeSecurity": "Table II: Derivative securities",
        "remarks": "Remarks",
        "ownerSignature": "Signature",
        "signatureName": "Signature of reporting person",
        "signatureDate": "Date of signature",
        "footnoteId": "Footnote",
    },
    codes={
        "transactionCode": codes.TRANSACTION_CODES,
        "transactionCoding": codes.TRANSACTION_CODES,
        "transactionAcquiredDisposedCode": codes.ACQUIRED_OR_DISPOSED,
        "directOrIndirectOwnership": codes.DIRECT_OR_INDIRECT,
        "transactionTimeliness": codes.TIMELINESS,
        "documentType": codes.OWNERSHIP_FORMS,
        "aff10b5One": codes.FLAGS,
        "notSubjectToSection16": codes.FLAGS,
        "noSecuritiesOwned": codes.FLAGS,
        "form3HoldingsReported": codes.FLAGS,
        "form4TransactionsReported": codes.FLAGS,
        "equitySwapInvolved": codes.FLAGS,
    },
    composers={
        "issuer": _write_issuer,
        "reportingOwner": _write_owner,
        "nonDerivativeTransaction": _write_transaction,
        "derivativeTransaction": _write_transaction,
        "nonDerivativeHolding": _write_holding,
        "derivativeHolding": _write_holding,
        "footnotes": _write_footnotes,
    },
)

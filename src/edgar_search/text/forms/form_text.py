"""The text of one of EDGAR's own forms, as the SEC shows it: labelled lines, codes with words."""

import re
from xml.parsers import expat

from edgar_search.text.forms import beneficial, form_13f, funds, insider, offerings
from edgar_search.text.forms.elements import FormRefused, local_name, walk
from edgar_search.text.forms.families import Family, FormWriter
from edgar_search.text.forms.lines import FormText

_ROOT = re.compile(r"<([^\s/>!?]+)")
_FORM_TYPE = re.compile(r"<(?:\w+:)?(?:submissionType|documentType)>\s*([^<]*?)\s*<")
_BEGINNING = 20_000  # characters in which a submission names its form

_BY_ROOT = {
    "ownershipDocument": insider.FAMILY,
    "informationTable": form_13f.FAMILY,
    "proxyVoteTable": funds.FAMILY,
}
_BY_FORM_TYPE = (
    (re.compile(r"13F-"), form_13f.FAMILY),
    (re.compile(r"SCHEDULE 13[DG]"), beneficial.SCHEDULES),
    (re.compile(r"144(?:/A)?$"), beneficial.FORM_144),
    (re.compile(r"N-CEN|NPORT|N-PX"), funds.FAMILY),
    (re.compile(r"(?:D|C|C-\w+|1-[AKZ]\w*)(?: POS)?(?:/A|-W)?$"), offerings.FAMILY),
)


def form_text(xml: str) -> FormText | None:
    """Return the text of a form of a known family, None for all other XML.

    None too if `xml` is not well-formed, declares a document type, by which entities may cost
    without bound, or has more levels than any form. Every value is in the text, with its place.
    """
    family, title = _family(xml)
    if family is None or not _is_well_formed(xml):
        return None
    writer = FormWriter(family)
    writer.lines.add(title)
    writer.lines.end_line()
    try:
        writer.write(walk(xml, family.composed))
    except FormRefused:
        return None
    return writer.lines.form_text()


def _family(xml: str) -> tuple[Family | None, str]:
    """Return the family of the form, and the form's title."""
    root = _ROOT.search(xml)
    name = local_name(root[1]) if root else ""
    found = _FORM_TYPE.search(xml, 0, _BEGINNING)
    form_type = found[1].removesuffix("/A") if found else ""
    family = _BY_ROOT.get(name)
    if name == "edgarSubmission":
        family = next((each for form, each in _BY_FORM_TYPE if form.match(form_type)), None)
    if family is None:
        return None, ""
    titles = family.titles
    begun = (title for form, title in titles.items() if form_type.startswith(form))
    return family, titles.get(form_type) or titles.get(name) or next(begun, "")


def _is_well_formed(xml: str) -> bool:
    """A parser without handlers only says so, in a quarter of the time that it takes with them."""
    if "<!DOCTYPE" in xml:
        return False
    try:
        expat.ParserCreate("utf-8").Parse(
            xml.strip("\ufeff \t\r\n").encode("utf-8", errors="replace"), True
        )
    except expat.ExpatError:
        return False
    return True

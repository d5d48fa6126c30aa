"""The items of Form 8-K in both numberings: 1 to 12, and since 23 August 2004 1.01 to 9.01.

A pattern is matched against a name in lower case whose words are one space apart and have no
punctuation. It covers earlier names too; the name of an item is that of the form today.
"""

import re
from datetime import date
from typing import NamedTuple

RENUMBERED = date(2004, 8, 23)
_WORD = re.compile("[a-z0-9]+")


class Item(NamedTuple):
    """An item: its number ("2.02"), its name, and what headings and headers call it."""

    number: str
    name: str
    pattern: re.Pattern[str]


def _items(rows: tuple[tuple[str, str, str], ...]) -> tuple[Item, ...]:
    return tuple(Item(number, name, re.compile(pattern)) for number, name, pattern in rows)


CURRENT = _items(
    (
        ("1.01", "Entry into a Material Definitive Agreement", "entry into"),
        ("1.02", "Termination of a Material Definitive Agreement", "terminat"),
        ("1.03", "Bankruptcy or Receivership", "bankruptcy"),
        (
            "1.04",
            "Mine Safety - Reporting of Shutdowns and Patterns of Violations",
            "mine safety",
        ),
        ("1.05", "Material Cybersecurity Incidents", "material cybersecurity"),
        (
            "2.01",
            "Completion of Acquisition or Disposition of Assets",
            "(?:completion of )?(?:the )?(?:acquisition|disposition)",
        ),
        (
            "2.02",
            "Results of Operations and Financial Condition",
            "results? of operations?|(?:disclosure of )?results",
        ),
        (
            "2.03",
            "Creation of a Direct Financial Obligation or an Obligation under an Off-Balance Sheet"
            " Arrangement of a Registrant",
            "creation of",
        ),
        (
            "2.04",
            "Triggering Events That Accelerate or Increase a Direct Financial Obligation or an"
            " Obligation under an Off-Balance Sheet Arrangement",
            "triggering",
        ),
        ("2.05", "Costs Associated with Exit or Disposal Activities", "costs? associated"),
        ("2.06", "Material Impairments", "material impairments?"),
        (
            "3.01",
            "Notice of Delisting or Failure to Satisfy a Continued Listing Rule or Standard;"
            " Transfer of Listing",
            "notice of delisting",
        ),
        ("3.02", "Unregistered Sales of Equity Securities", "unregistered"),
        ("3.03", "Material Modification to Rights of Security Holders", "material modification"),
        (
            "4.01",
            "Changes in Registrant's Certifying Accountant",
            r"changes? in (?:the )?(?:registrants?|companys?)(?: s)? (?:certifying|independent)",
        ),
        (
            "4.02",
            "Non-Reliance on Previously Issued Financial Statements or a Related Audit Report or"
            " Completed Interim Review",
            "non ?reliance",
        ),
        ("5.01", "Changes in Control of Registrant", "changes? in control"),
        (
            "5.02",
            "Departure of Directors or Certain Officers; Election of Directors; Appointment of"
            " Certain Officers; Compensatory Arrangements of Certain Officers",
            "(?:departure|election|appointment|resignation)s? of|compensatory",
        ),
        (
            "5.03",
            "Amendments to Articles of Incorporation or Bylaws; Change in Fiscal Year",
            "amendments? (?:to|of) (?:the )?(?:articles|certificate|by)|change in fiscal",
        ),
        (
            "5.04",
            "Temporary Suspension of Trading Under Registrant's Employee Benefit Plans",
            "temporary suspension",
        ),
        (
            "5.05",
            "Amendments to the Registrant's Code of Ethics, or Waiver of a Provision of the Code of"
            " Ethics",
            r"amendments? (?:to|of) (?:the )?(?:registrants?(?: s)? )?code",
        ),
        ("5.06", "Change in Shell Company Status", "change in shell"),
        (
            "5.07",
            "Submission of Matters to a Vote of Security Holders",
            "submission of matters",
        ),
        ("5.08", "Shareholder Director Nominations", "shareholder (?:director )?nominations?"),
        ("6.01", "ABS Informational and Computational Material", "abs informational"),
        ("6.02", "Change of Servicer or Trustee", "change (?:of|in) servicer"),
        (
            "6.03",
            "Change in Credit Enhancement or Other External Support",
            "change in credit",
        ),
        ("6.04", "Failure to Make a Required Distribution", "failure to make"),
        ("6.05", "Securities Act Updating Disclosure", "securities act updating"),
        ("6.06", "Static Pool", "static pool"),
        ("7.01", "Regulation FD Disclosure", r"(?:reg(?:ulation)? ?)?fd\b"),
        ("8.01", "Other Events", "other (?:events?|information|matters)"),
        ("9.01", "Financial Statements and Exhibits", "financial statements?|exhibits?"),
    )
)
OLD = _items(
    (
        ("1", "Changes in Control of Registrant", "changes? (?:in|of) control"),
        (
            "2",
            "Acquisition or Disposition of Assets",
            "(?:completion of )?(?:acquisition|disposition)",
        ),
        ("3", "Bankruptcy or Receivership", "bankruptcy"),
        (
            "4",
            "Changes in Registrant's Certifying Accountant",
            r"changes? in (?:the )?(?:registrants?|companys?|certifying|independent|accountants?)"
            "(?! s fiscal)",
        ),
        ("5", "Other Events", "other (?:events?|information|matters|materially)"),
        (
            "6",
            "Resignations of Registrant's Directors",
            r"resignations? of (?:the )?(?:registrant|company|director)",
        ),
        (
            "7",
            "Financial Statements and Exhibits",
            r"financial statements?|exhibits?|financial information",
        ),
        ("8", "Change in Fiscal Year", "changes? in (?:the )?(?:registrants? )?(?:s )?fiscal"),
        (
            "9",
            "Regulation FD Disclosure",
            r"reg(?:ulation)? ?fd|sales of equity securities",
        ),
        (
            "10",
            "Amendments to the Registrant's Code of Ethics, or Waiver of a Provision of the Code of"
            " Ethics",
            r"amendments? to (?:the )?(?:registrants?(?: s)? )?code",
        ),
        (
            "11",
            "Temporary Suspension of Trading Under Registrant's Employee Benefit Plans",
            "temporary suspension",
        ),
        (
            "12",
            "Results of Operations and Financial Condition",
            "results? of operations?|disclosure of results",
        ),
    )
)


def items_on(filing_date: date) -> tuple[Item, ...]:
    """Return the items of the form on a day."""
    return CURRENT if filing_date >= RENUMBERED else OLD


def item_named(text: str, filing_date: date) -> Item | None:
    """Return the item that a line of a header names, by its number or by EDGAR's name."""
    number, words = text.strip(), plain_words(text)
    on_day = items_on(filing_date)
    for items in (on_day, OLD if on_day is CURRENT else CURRENT):
        for item in items:
            if number == item.number or item.pattern.match(words):
                return item
    return None


def plain_words(text: str) -> str:
    """Return `text` in lower case, its words one space apart and without marks."""
    return " ".join(_WORD.findall(text.lower().replace("'", "").replace("\u2019", "")))

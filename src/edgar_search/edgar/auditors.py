"""Names of auditors, whose spellings differ from filing to filing; pure."""

import re

_WORD = re.compile(r"\w+")
# Words after a firm's name that its filers leave out, or spell in several ways.
_LEGAL_FORMS = frozenset(
    "accountancy accountants apc certified chartered co company corp corporation cpa cpas inc"
    " incorporated limited llc llp lp ltd pa pc plc pllc professional public".split()
)
# Names that firms are called by, with the names that they file under.
_SHORT_NAMES = {
    "deloitte": "deloitte touche",
    "ey": "ernst young",
    "pwc": "pricewaterhousecoopers",
}


def auditor_key(name: str) -> str:
    """Return an auditor's name without case, punctuation, `and` and legal form.

    "" for a name of nothing else.
    """
    words = _WORD.findall(re.sub(r"[.'\u2019]", "", name.casefold()))
    while words and words[-1] in _LEGAL_FORMS:
        words.pop()
    return " ".join(word for word in words if word != "and")


def auditor_keys(name: str) -> list[str]:
    """Return the keys of the auditors that a name may mean: its own, and that of the whole name."""
    key = auditor_key(name)
    return [key, *([_SHORT_NAMES[key]] if key in _SHORT_NAMES else [])]

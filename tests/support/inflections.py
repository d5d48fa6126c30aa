"""`inflections.txt`, made of the word lists of SCOWL; run as a program it writes it.

    apt-get download scowl && dpkg-deb -x scowl_*.deb FOLDER
    python -m tests.support.inflections FOLDER/usr/share/dict/scowl

The file in the project is of Debian's package scowl 2020.12.07-2, whose licence is in NOTICE.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

import snowballstemmer

from edgar_search.text import inflections
from edgar_search.text.inflections import DOUBLING, ENDINGS, REPLACING, form_word

FILE = Path(inflections.__file__).with_name("inflections.txt")
# Of SCOWL's sizes up to 95: up to 70 `expensed` and `issuances` are missing, above 80 are words
# that nobody writes.
SIZE = 80
REGIONS = ("english", "american", "british", "british_z", "canadian", "australian")
_WORD = re.compile("[a-z]{3,}(?:'s)?")

# Same stem, another meaning: the frequent ones in filings, read from the first 400,
# and what people asked for since.
APART = {
    "apart": ("apartment", "apartments"),
    "audit": ("audition", "auditions"),
    "contract": ("contraction", "contractions"),
    "converse": ("conversion", "conversions"),
    "depart": ("department", "departments"),
    "design": ("designation", "designations"),
    "discrete": ("discretion",),
    "hard": ("hardly",),
    "late": ("lately",),
    "like": ("likely",),
    "liquid": ("liquidation", "liquidations"),
    "name": ("namely",),
    "near": ("nearly",),
    "person": ("personal", "personals", "personation", "personations"),
    "ration": ("rational", "rationals"),
    "sever": ("several", "severals"),
    "severe": ("several", "severals"),
    "short": ("shortly",),
    "success": ("succession", "successions"),
}


def scowl(folder: Path) -> set[str]:
    """Return the words of SCOWL's lists that begin with no capital, and their possessives."""
    words: set[str] = set()
    for region in REGIONS:
        for path in folder.glob(f"{region}-words.*"):
            if int(path.suffix[1:]) <= SIZE:
                words.update(path.read_text(encoding="latin-1").split())
    return set(filter(_WORD.fullmatch, words))


def lines(words: Iterable[str]) -> list[str]:
    """Return the line of each base."""
    known = sorted(words)
    stems = dict(zip(known, snowballstemmer.stemmer("english").stemWords(known), strict=True))
    found = []
    for base in known:
        endings = [ending for ending in ENDINGS if "'" not in base and _fits(base, ending)]
        theirs = [each for each in endings if stems.get(form_word(base, each)) == stems[base]]
        kept = [their for their in theirs if form_word(base, their) not in APART.get(base, ())]
        if kept:
            found.append(" ".join([base, *kept]))
    return sorted(found)


def _fits(base: str, ending: str) -> bool:
    """Return True if English spelling lets the base have the ending."""
    tail = ending.lstrip(REPLACING + DOUBLING)
    if ending.startswith(DOUBLING):
        return base[-1] not in "aeiouwxy"
    if ending.startswith(REPLACING):
        if tail in ("ies", "ied", "ily"):
            return base.endswith("y")
        return base.endswith("le" if tail == "y" else "e")
    if tail in ("s", "'s", "ment", "ments", "ly"):
        return True
    if tail in ("es", "ally"):
        return base.endswith(("s", "x", "z", "ch", "sh", "o") if tail == "es" else "ic")
    return not base.endswith("e") or (tail in ("ing", "ings") and base[-2:] in ("ee", "oe", "ye"))


if __name__ == "__main__":
    made = lines(scowl(Path(sys.argv[1])))
    FILE.write_text("".join(f"{line}\n" for line in made))
    print(f"{len(made)} base words")

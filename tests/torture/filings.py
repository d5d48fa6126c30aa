"""Made-up filings whose text is dense with the commonest words, which make queries dear."""

from itertools import accumulate
from pathlib import Path
from random import Random

from bench.dear_queries import COMMON
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

# Words of documents that stand beside the common ones.
RARE = tuple(f"quarry{number}" for number in range(2_000))
_WORDS_A_LINE = 12


def write_filings(folder: Path, submissions: int, characters: int, first: int = 0) -> None:
    """Write submissions of about this many characters each, the same ones every time.

    They are numbered from `first` on: `accession` has the accession number of each.
    """
    folder.mkdir()
    words = COMMON + RARE
    # By Zipf's law, as in any language.
    weights = list(accumulate(1 / (rank + 3) for rank in range(len(words))))
    for number in range(first, first + submissions):
        random = Random(number)
        chosen = random.choices(words, cum_weights=weights, k=characters // 5)
        lines = [
            " ".join(chosen[at : at + _WORDS_A_LINE]) for at in range(0, len(chosen), _WORDS_A_LINE)
        ]
        entity = MadeUpEntity(f"00099903{number % 100:02d}", f"QUARRY {number} CORP")
        made_up = MadeUp(accession(number), (entity,), (MadeUpDocument("\n".join(lines) + "\n"),))
        (folder / f"{accession(number)}.txt").write_bytes(txt(made_up))


def write_table(folder: Path, number: int, rows: int) -> None:
    """Write a submission of this number with one table, of ten columns."""
    row = "<tr>" + "<td>1</td>" * 10 + "</tr>"
    text = f"<html><body><table>{row * rows}</table></body></html>"
    entity = MadeUpEntity("0009990400", "TABLE CORP")
    document = MadeUpDocument(text, file_name="table.htm")
    made_up = MadeUp(accession(number), (entity,), (document,))
    (folder / f"{accession(number)}.txt").write_bytes(txt(made_up))


def accession(number: int) -> str:
    """The accession number of the submission of this number."""
    return f"0009990301-21-{number:06d}"

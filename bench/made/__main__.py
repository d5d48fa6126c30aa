"""Write made filings into a folder: `python -m bench.made FOLDER --copies 10`.

It prints how the vocabulary of real and of made filings grows (Heaps' law) and how words are
spread (Zipf's law).
"""

import argparse
import gzip
import time
from pathlib import Path
from random import Random

from bench.corpus import CORPUS
from bench.made.filings import Maker, Material, Template, drawn
from bench.made.words import Words
from bench.markdown import table
from edgar_search.edgar.submission import parse_submission
from ingest.sources.paths import Sources
from ingest.sources.source import read

SEED = 52


def main() -> None:
    """Make filings and print the laws."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of submissions")
    parser.add_argument("--copies", type=int, default=1, help="the size, as the corpus is 1")
    parser.add_argument("--seed", type=int, default=SEED)
    print(laws(make(**vars(parser.parse_args()))))


def make(
    folder: Path, corpus: Path = CORPUS, copies: int = 1, seed: int = SEED
) -> dict[str, Words]:
    """Make filings in a new folder; return the words of real and of made ones."""
    began = time.monotonic()
    templates = read_templates(corpus)
    material = Material.of(templates, Random(seed))
    maker = Maker(material, seed)
    folder.mkdir(parents=True)
    number = 0
    for template, copy in drawn(templates, copies, Random(seed)):
        accession, text = maker.make(template, copy)
        path = folder / f"{accession}.txt.gz"
        path.write_bytes(gzip.compress(text.encode("latin-1"), 1, mtime=0))
        number += 1
        if number % 200 == 0:
            print(f"{number} filings, {time.monotonic() - began:.0f} s", flush=True)
    return {"real": material.words, "made": maker.words}


def read_templates(corpus: Path) -> list[Template]:
    """Read the submissions of a folder as EDGAR's archive has them, ordered by accession number."""
    found: dict[str, Template] = {}
    for source in Sources([corpus]):
        data = read(source)
        if b"<SEC-HEADER>" in data:
            accession = parse_submission(data).header.accession_number
            found[accession] = Template(accession, data.decode("latin-1"))
    return [found[accession] for accession in sorted(found)]


def laws(corpora: dict[str, Words]) -> str:
    """Return a table of words, vocabulary and the exponents of both laws."""
    heads = ["filings", "M words", "different words", "Heaps' exponent", "Zipf's exponent"]
    rows = [
        [
            name,
            f"{words.total / 1e6:.1f}",
            f"{len(words.counts):,}",
            f"{words.heaps().exponent:.3f}",
            f"{words.zipf():.3f}",
        ]
        for name, words in corpora.items()
    ]
    return table(heads, rows)


if __name__ == "__main__":
    main()

"""Plain English in docstrings and docs/, as a part of `make check`.

A docstring begins with a noun or a verb; a noun clause at its beginning hides the subject. A few
phrases are refused that read as translated and have a plainer form each. The list is short on
purpose: a phrase is added if it came back several times and has one replacement that is always
right. Code in pages is not looked at, nor tables that `make tables` writes from declarations.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).parents[1]
MODULES = ("src/edgar_search", "ingest", "bench", "evaluation", "tests")
# Words that ask a question begin a noun clause; "Of" and "By" a sentence whose subject comes late.
OPENINGS = {
    "What": "name the thing: a noun",
    "Whether": "'Return True if'; 'True if' for a property",
    "If": "'Return True if'; 'True if' for a property",
    "Say": "'Return True if'; 'True if' for a property",
    "How": "'The number of', 'The time of', or a verb",
    "Where": "'The place of', 'The address of', or a verb",
    "Which": "name the things: a noun",
    "When": "'The time of', or the subject first",
    "Why": "'The reason for'",
    "Who": "name the person or program",
    "Whom": "name the person or program",
    "Whose": "name the owner",
    "Of": "put the subject first",
    "By": "put the subject first",
    "That": "name the thing: a noun",
    "Those": "name the things: a noun",
}
# Each with its replacement. A blank in a pattern is any white space.
PHRASES = {
    r"what is to be": "the noun: 'warnings', 'the next steps'",
    # "so many files that the disk is full" is English.
    r"so many\b(?! \w+ that\b)": "'a number of', 'this many', or the number",
    # "there is no index" and "it is no longer there" are English.
    r"(?<!there\s)(is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|better\b|worse\b)": (
        "'is not a', 'are not'"
    ),
    r"amid": "'in the middle of'",
    r"somebody": "'someone'",
    r"commonest": "'most common'",
    r"stands?\b(?! (in )?for\b| still\b| alone\b|-)": "'is', 'are'",
    r"for (it|they|this|that|these|those) (is|are|was|were|has|have|does|do)": "'because'",
    r"where (there (is|are|was|were) )?(no|none|nothing|not)\b": "'if'; 'where' is for places",
}
_PHRASES = {
    re.compile(r"\b" + phrase.replace(" ", r"\s+"), re.IGNORECASE): instead
    for phrase, instead in PHRASES.items()
}
_NOT_PROSE = re.compile(
    r"^```.*?^```|<!-- parameters: .*?<!-- end -->|``[^\n]+?``|`(?:[^`\n]|\n(?!\n))+`|\]\([^)]*\)",
    re.DOTALL | re.MULTILINE,
)


class Finding(NamedTuple):
    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def find_phrases(path: str, text: str, first_line: int = 1) -> Iterator[Finding]:
    """Find refused phrases; a line is counted from the first."""
    prose = _NOT_PROSE.sub(lambda match: re.sub(r"[^\n]", "_", match[0]), text)
    for pattern, instead in _PHRASES.items():
        for match in pattern.finditer(prose):
            line = first_line + prose.count("\n", 0, match.start())
            yield Finding(path, line, f"'{' '.join(match[0].split())}': write {instead}")


def check_docstrings(path: str, source: str) -> Iterator[Finding]:
    """Find openings and phrases that are refused in the docstrings of a module."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        text = ast.get_docstring(node, clean=False)
        if not text:
            continue
        line = node.body[0].lineno
        opening = re.match(r"\s*(\w+)", text)
        if opening and (instead := OPENINGS.get(opening[1])):
            yield Finding(path, line, f"a docstring begins with '{opening[1]}': {instead}")
        yield from find_phrases(path, text, line)


def check_all() -> Iterator[Finding]:
    """Find what is refused in docs/ and in the docstrings of all modules."""
    pages = [CHECKOUT / name for name in ("README.md", "CONTRIBUTING.md")]
    modules = [f for name in MODULES for f in (CHECKOUT / name).rglob("*.py")]
    for file in sorted([*pages, *(CHECKOUT / "docs").rglob("*.md"), *modules]):
        check = find_phrases if file.suffix == ".md" else check_docstrings
        yield from check(str(file.relative_to(CHECKOUT)), file.read_text())


def main() -> int:
    """Print findings; return 1 if there are any."""
    findings = list(check_all())
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

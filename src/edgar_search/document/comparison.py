"""Two texts compared: first their paragraphs, then the words of those that changed; pure.

A paragraph is a line, or a sentence of a long line; page numbers alone on a line do not count.
Paragraphs equal except for white space are matched first, in order; then moved lines; then lines
with most words the same. The cost is bounded for any text: `python -m
edgar_search.document.comparison` compares in a process of its own, which can be ended.
"""

import os
import re
import resource
import sys
import zlib
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from heapq import nlargest
from itertools import islice, pairwise, repeat
from typing import Literal, NamedTuple

import msgspec
from rapidfuzz.distance import Indel

Kind = Literal["added", "removed", "changed", "moved"]


class Change(NamedTuple):
    """A change by its positions in both texts, ends exclusive.

    Added words have an empty position in the first text, removed words in the second.
    """

    kind: Kind
    start: int
    end: int
    to_start: int
    to_end: int


class ChangedPassage(NamedTuple):
    """Paragraphs that differ; of a changed paragraph, also the words that changed."""

    change: Change
    words: list[Change]


class Block(NamedTuple):
    """A paragraph, or a sentence of a long one, by its position."""

    start: int
    end: int
    text: str

    @classmethod
    def of(cls, text: str) -> "Block":
        """Return a whole text as one block."""
        return cls(0, len(text), text)


# A longer line is cut into sentences; without sentences, at any blank.
_LONGEST = 1_500
_LINE = re.compile(r"\S[^\n]*")
_SENTENCE = re.compile(
    rf"\S(?:[^\n]{{0,{_LONGEST}}}?[.;:!?](?=\s)|[^\n]{{0,{_LONGEST}}}(?=\s)|[^\n]{{0,{_LONGEST}}})"
)
# Page numbers and headings of paper, which are on other lines in each text.
_PAGE_MARK = re.compile(
    r"(?:[A-Z]-)?[0-9]{1,3}|-\s*[0-9]{1,3}\s*-|table of contents", re.IGNORECASE
)
_WORD = re.compile(r"[0-9](?:[0-9.,]*[0-9])?|\w++(?>(?:['\u2019-]\w++)*)|[^\w\s]")
_CELL = "\t"  # not imported: that module takes longer to import than a comparison
_DIGITS = re.compile(r"[0-9][0-9.,]*")
# If there are more lines, such as lines of one character, some are grouped. A group ends after a
# line with a certain checksum, so that an added line changes only the groups near it.
_MOST_BLOCKS = 40_000
# A longest common subsequence takes one bit for each pair of items: 50 MB, and a tenth of a second.
_MOST_PAIRS = 400_000_000
# How many times items are searched that are unique between the unique ones already found.
_MOST_LEVELS = 4
# Shorter paragraphs, such as page numbers, occur everywhere, so they do not count as moved.
_LEAST_MOVED = 60
# At least this fraction of the words in a changed paragraph is the same.
_ALIKE = 0.5
# Pairs of paragraphs that are scored between two equal ones; if there are more, only neighbours
# are.
_MOST_WEIGHED, _NEIGHBOURS, _MOST_BETWEEN = 2_500, 5, 20_000
# A short word between two changes, such as "of", counts as changed with them.
_SHORT = 3


def compare(first: str, second: str) -> list[ChangedPassage]:
    """Return the passages that differ, in the order of the second text; none if words agree."""
    return _Comparison(_blocks(first), _blocks(second)).passages()


def _blocks(text: str) -> list[Block]:
    blocks = []
    for line in _LINE.finditer(text):
        if _PAGE_MARK.fullmatch(line[0].rstrip()):
            continue
        pieces = [line] if len(line[0]) <= _LONGEST else _SENTENCE.finditer(text, *line.span())
        for piece in pieces:
            line_text = piece[0].rstrip()
            blocks.append(Block(piece.start(), piece.start() + len(line_text), line_text))
    return blocks if len(blocks) <= _MOST_BLOCKS else list(_together(text, blocks))


def _together(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """Group blocks, so that they are few enough to be compared."""
    usual = -(-len(blocks) // _MOST_BLOCKS) * 2
    begun = 0
    for number, block in enumerate(blocks):
        count = number + 1 - begun
        is_end = zlib.crc32(block.text.encode()) % usual == 0 or count == 4 * usual
        if is_end or number + 1 == len(blocks):
            start = blocks[begun].start
            yield Block(start, block.end, text[start : block.end])
            begun = number + 1


class _Comparison:
    def __init__(self, first: list[Block], second: list[Block]) -> None:
        self._first, self._second = first, second
        numbers: dict[str, int] = {}
        self._keys, self._to_keys = (
            [numbers.setdefault(" ".join(block.text.split()), len(numbers)) for block in blocks]
            for blocks in (first, second)
        )

    def passages(self) -> list[ChangedPassage]:
        gaps = list(_gaps(self._keys, self._to_keys))
        moved = self._moved(gaps)
        moved_away = set(moved.values())
        passages: list[ChangedPassage] = []
        for low, high, to_low, to_high in gaps:
            left = [n for n in range(low, high) if n not in moved_away]
            right = [n for n in range(to_low, to_high) if n not in moved]
            pairs = dict(self._alike(left, right))
            at = low
            for number in range(to_low, to_high):
                if number in moved:
                    passages.append(self._passage("moved", moved[number], 1, number, 1))
                elif number in pairs:
                    passages += self._removed(at, pairs[number], number, moved_away)
                    passages.append(self._changed(pairs[number], number))
                    at = pairs[number] + 1
                else:
                    passages.append(self._passage("added", at, 0, number, 1))
            passages += self._removed(at, high, to_high, moved_away)
        return _joined(passages)

    def _removed(self, low: int, high: int, to: int, moved_away: set[int]) -> list[ChangedPassage]:
        return [
            self._passage("removed", n, 1, to, 0) for n in range(low, high) if n not in moved_away
        ]

    def _passage(self, kind: Kind, at: int, count: int, to: int, to_count: int) -> ChangedPassage:
        positions = _place(self._first, at, count), _place(self._second, to, to_count)
        return ChangedPassage(Change(kind, *positions[0], *positions[1]), [])

    def _changed(self, at: int, to: int) -> ChangedPassage:
        before, after = self._first[at], self._second[to]
        change = Change("changed", before.start, before.end, after.start, after.end)
        return ChangedPassage(change, list(changed_words(before, after)))

    def _moved(self, gaps: Sequence[tuple[int, int, int, int]]) -> dict[int, int]:
        """Return the paragraphs that moved, by their numbers in the second text."""
        positions: dict[int, deque[int]] = defaultdict(deque)
        for low, high, _, _ in gaps:
            for number in range(low, high):
                if len(self._first[number].text) >= _LEAST_MOVED:
                    positions[self._keys[number]].append(number)
        moved = {}
        for _, _, to_low, to_high in gaps:
            for number in range(to_low, to_high):
                if positions.get(self._to_keys[number]):
                    moved[number] = positions[self._to_keys[number]].popleft()
        return moved

    def _alike(self, left: list[int], right: list[int]) -> Iterator[tuple[int, int]]:
        """Pair paragraphs with most words in common, in order; the second number is first."""
        if not left or not right or len(left) + len(right) > _MOST_BETWEEN:
            return
        words: dict[str, int] = {}
        first, second = (
            [_numbered(_DIGITS.sub("0", blocks[n].text), words) for n in numbers]
            for blocks, numbers in ((self._first, left), (self._second, right))
        )
        if len(left) * len(right) <= _MOST_WEIGHED:
            yield from ((right[j], left[i]) for i, j in _best_pairs(first, second))
            return
        behind = 0
        for i, here in enumerate(first):
            near = range(behind, min(len(right), behind + _NEIGHBOURS))
            weights = {j: _likeness(here, second[j]) for j in near}
            best = max(weights, key=lambda j: (weights[j], -j), default=None)
            if best is not None and weights[best]:
                yield right[best], left[i]
                behind = best + 1


def _place(blocks: Sequence[Block], at: int, count: int) -> tuple[int, int]:
    """Return the position of some paragraphs; of none, the end of the one before."""
    if count:
        return blocks[at].start, blocks[at + count - 1].end
    end = blocks[at - 1].end if at else 0
    return end, end


def _joined(passages: Sequence[ChangedPassage]) -> list[ChangedPassage]:
    """Join adjacent paragraphs that were added, removed or moved together."""
    result: list[ChangedPassage] = []
    for passage in passages:
        last, now = result[-1].change if result else None, passage.change
        # Adjacent paragraphs have only white space between them.
        if last is not None and last.kind == now.kind != "changed" and _follows(last, now):
            joined = last._replace(end=max(last.end, now.end), to_end=max(last.to_end, now.to_end))
            result[-1] = ChangedPassage(joined, [])
        else:
            result.append(passage)
    return result


_MOST_WHITE_SPACE = 3


def _follows(last: Change, now: Change) -> bool:
    near = 0 <= now.start - last.end <= _MOST_WHITE_SPACE or now.start == now.end == last.end
    to_near = 0 <= now.to_start - last.to_end <= _MOST_WHITE_SPACE
    return near and (to_near or now.to_start == now.to_end == last.to_end)


def _gaps(first: list[int], second: list[int]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the ranges of both lists between equal items in the same order."""
    at = to = 0
    for i, j, count in [*_same(first, second), (len(first), len(second), 0)]:
        if i > at or j > to:
            yield at, i, to, j
        at, to = i + count, j + count


def _same(first: list[int], second: list[int], level: int = 0) -> list[tuple[int, int, int]]:
    """Return the runs of equal items in the same order: the start in both lists, and a length."""
    shortest = min(len(first), len(second))
    prefix = next((n for n in range(shortest) if first[n] != second[n]), shortest)
    shortest -= prefix
    suffix = next((n for n in range(shortest) if first[-1 - n] != second[-1 - n]), shortest)
    inner, to_inner = first[prefix : len(first) - suffix], second[prefix : len(second) - suffix]
    runs = [(0, 0, prefix)]
    if len(inner) * len(to_inner) <= _MOST_PAIRS:
        for opcode in Indel.opcodes(inner, to_inner) if inner and to_inner else ():
            if opcode.tag == "equal":
                starts = prefix + opcode.src_start, prefix + opcode.dest_start
                runs.append((*starts, opcode.src_end - opcode.src_start))
    elif level < _MOST_LEVELS:
        at = to = 0
        for i, j in [*_unique(inner, to_inner), (len(inner), len(to_inner))]:
            runs += [
                (prefix + at + low, prefix + to + to_low, count)
                for low, to_low, count in _same(inner[at:i], to_inner[to:j], level + 1)
            ]
            if i < len(inner):
                runs.append((prefix + i, prefix + j, 1))
            at, to = i + 1, j + 1
    runs.append((len(first) - suffix, len(second) - suffix, suffix))
    return [opcode for opcode in runs if opcode[2]]


def _unique(first: list[int], second: list[int]) -> list[tuple[int, int]]:
    """Return the longest sequence in order of items that each list has exactly once."""
    counts, to_counts = Counter(first), Counter(second)
    positions = {item: n for n, item in enumerate(second) if to_counts[item] == counts[item] == 1}
    pairs = [(n, positions[item]) for n, item in enumerate(first) if item in positions]
    tails: list[int] = []
    chains: list[tuple[int, int, int]] = []  # both positions, and the previous link
    last: list[int] = []
    for n, position in pairs:
        at = bisect_left(tails, position)
        chains.append((n, position, last[at - 1] if at else -1))
        tails[at : at + 1], last[at : at + 1] = [position], [len(chains) - 1]
    longest = []
    link = last[-1] if last else -1
    while link >= 0:
        n, position, link = chains[link]
        longest.append((n, position))
    return longest[::-1]


def _best_pairs(first: list[list[int]], second: list[list[int]]) -> list[tuple[int, int]]:
    """Return the pairs in order with the greatest total likeness."""
    sums = [[0.0] * (len(second) + 1) for _ in range(len(first) + 1)]
    weights = [[_likeness(here, there) for there in second] for here in first]
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            paired = sums[i][j] + weight if weight else 0.0
            sums[i + 1][j + 1] = max(sums[i][j + 1], sums[i + 1][j], paired)
    best = []
    i, j = len(first), len(second)
    while i and j:
        if sums[i][j] == sums[i - 1][j]:
            i -= 1
        elif sums[i][j] == sums[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            best.append((i, j))
    return best[::-1]


def _likeness(first: list[int], second: list[int]) -> float:
    return Indel.normalized_similarity(first, second, score_cutoff=_ALIKE)


def _numbered(text: str, words: dict[str, int]) -> list[int]:
    return [words.setdefault(word, len(words)) for word in _WORD.findall(text)]


def changed_words(before: Block, after: Block) -> Iterator[Change]:
    """Yield the changed words of a paragraph, in order; of a table row, cell by cell."""
    cells = [list(_cells(each)) for each in (before, after)]
    if len(cells[0]) == len(cells[1]) > 1:
        for pair in zip(*cells, strict=True):
            yield from changed_words(*pair)
        return
    words: dict[str, int] = {}
    first, second = (list(_WORD.finditer(each.text)) for each in (before, after))
    numbers = [[words.setdefault(each[0], len(words)) for each in some] for some in (first, second)]
    for i1, i2, j1, j2 in _bridged(list(_gaps(*numbers)), first):
        kind: Kind = "changed" if i1 < i2 and j1 < j2 else "removed" if i1 < i2 else "added"
        yield Change(kind, *_span(before, first, i1, i2), *_span(after, second, j1, j2))


def _cells(row: Block) -> Iterator[Block]:
    start = row.start
    for cell in row.text.split(_CELL):
        yield Block(start, start + len(cell), cell)
        start += len(cell) + 1


def _bridged(
    gaps: Sequence[tuple[int, int, int, int]], words: Sequence[re.Match[str]]
) -> list[tuple[int, int, int, int]]:
    bridged: list[tuple[int, int, int, int]] = []
    for low, high, to_low, to_high in gaps:
        if bridged:
            start, end, to_start, _ = bridged[-1]
            if low - end == 1 and len(words[end][0]) <= _SHORT:
                bridged[-1] = (start, high, to_start, to_high)
                continue
        bridged.append((low, high, to_low, to_high))
    return bridged


def _span(block: Block, words: Sequence[re.Match[str]], low: int, high: int) -> tuple[int, int]:
    if low < high:
        return block.start + words[low].start(), block.start + words[high - 1].end()
    position = block.start + (words[low - 1].end() if low else 0)
    return position, position


# How many parts of a text are compared with some words to find the most similar one, and how much a
# word counts against a part that the words lack, as a fraction of a common word.
_PARTS, _FOREIGN = 4, 0.5


def nearest_part(words: str, text: str) -> tuple[float, int, int]:
    """Find the part of a text most like some words; return its likeness, its start and its end.

    The likeness is from 0 to 1, by letters; all are 0 if they have no word in common. The part
    consists of whole words, including words at its ends that replace others. The time grows with
    the length of the text: only the parts with most words in common, weighted by rarity, are
    compared.
    """
    numbers: dict[str, int] = {}
    numbers_wanted = _numbered(words, numbers)
    text_words = _Words(text, numbers)
    candidates = [(0.0, 0, 0)]
    for low, high in _likely_parts(len(numbers_wanted), text_words.items):
        same = _densest(_same(numbers_wanted, text_words.items[low:high]))
        if same:
            at, to, _ = same[0]
            first = max(low, low + to - at)
            at, to, count = same[-1]
            last = min(len(text_words.items), low + to + len(numbers_wanted) - at)
            start, end = text_words.span(first)[0], text_words.span(last - 1)[1]
            candidates.append((likeness_of(words, text[start:end]), start, end))
    return max(candidates, key=lambda candidate: (candidate[0], -candidate[1]))


# Characters of a text that are split into words at once.
_STRETCH = 2_000
_BLANK = re.compile(r"\s")


class _Words:
    """The words of a text as numbers, -1 for other words; the positions of few are needed."""

    def __init__(self, text: str, numbers: dict[str, int]) -> None:
        self._text = text
        self.items: list[int] = []
        # The first character and the first word of each stretch; stretches end between words.
        self._starts, self._firsts = [0], [0]
        while self._starts[-1] < len(text):
            start = self._starts[-1]
            blank = _BLANK.search(text, start + _STRETCH)
            end = blank.start() if blank else len(text)
            self.items += map(numbers.get, _WORD.findall(text, start, end), repeat(-1))
            self._starts.append(end)
            self._firsts.append(len(self.items))

    def span(self, number: int) -> tuple[int, int]:
        """Return the position of a word."""
        stretch = bisect_right(self._firsts, number) - 1
        words = _WORD.finditer(self._text, self._starts[stretch])
        return next(islice(words, number - self._firsts[stretch], None)).span()


def likeness_of(first: str, second: str) -> float:
    """Return the likeness of two texts by letters, from 0 to 1."""
    return Indel.normalized_similarity(first, second)


def _likely_parts(length: int, there: Sequence[int]) -> list[tuple[int, int]]:
    """Return the ranges of a list, twice as long as `length`, with the most wanted items.

    Unwanted items are -1.
    """
    counts = Counter(there)
    cells = [set(there[at : at + length]) - {-1} for at in range(0, len(there), max(1, length))]
    pairs = [one | other for one, other in pairwise([*cells, set()])]
    weights = {item: 1 + 1 / count for item, count in counts.items()}
    worth = [sum(map(weights.__getitem__, pair)) for pair in pairs]
    best = nlargest(_PARTS, range(len(pairs)), worth.__getitem__)
    return [(n * length, (n + 2) * length) for n in best]


def _densest(runs: Sequence[tuple[int, int, int]]) -> Sequence[tuple[int, int, int]]:
    """Return the consecutive runs of a range with the most wanted items for their length."""
    best, value, begin, end = 0.0, 0.0, 0, 0
    first = 0
    for number, (_, to, count) in enumerate(runs):
        _, last, length = runs[number - 1] if number else (0, to, 0)
        value -= _FOREIGN * (to - last - length)
        if value <= 0:
            value, first = 0.0, number
        value += count
        if value > best:
            best, begin, end = value, first, number + 1
    return runs[begin:end]


class Sentence(NamedTuple):
    """A sentence of one of several texts, with the text's number."""

    text: int
    words: str


# A shorter text between two full stops is a number or an abbreviation.
_SHORTEST_SENTENCE = 40
# Two sentences say the same if this fraction of their words is common.
_SAME_SENTENCE = 0.7


def alike_sentences(texts: Sequence[str], most: int) -> list[list[Sentence]]:
    """Group the sentences of several texts, up to `most` of each, that say the same."""
    numbers: dict[str, int] = {}
    groups: list[tuple[list[int], list[Sentence]]] = []
    for number, text in enumerate(texts):
        # Texts on paper break lines in the middle of sentences.
        pieces = (piece[0].rstrip() for piece in _SENTENCE.finditer(" ".join([*text.split(), ""])))
        whole = (piece for piece in pieces if len(piece) >= _SHORTEST_SENTENCE)
        for sentence in islice(whole, most):
            words = _numbered(sentence.lower(), numbers)
            like = [
                Indel.normalized_similarity(words, first, score_cutoff=_SAME_SENTENCE)
                for first, _ in groups
            ]
            best = max(range(len(like)), key=like.__getitem__, default=-1)
            if best >= 0 and like[best]:
                groups[best][1].append(Sentence(number, sentence))
            else:
                groups.append((words, [Sentence(number, sentence)]))
    return [group for _, group in groups]


# More than the most demanding texts need.
_MOST_MEMORY = 600_000_000
_POLITENESS = 5  # the niceness of this process: the service has priority


def main() -> None:
    """Compare two texts from standard input, and write the passages to standard output."""
    os.nice(_POLITENESS)
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))
    first, second = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=tuple[str, str])
    sys.stdout.buffer.write(msgspec.msgpack.encode(compare(first, second)))


if __name__ == "__main__":
    main()

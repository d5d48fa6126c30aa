"""Maps positions in a text to the filed bytes, and back.

A document is split into the stretches between its tags. Each is replaced by its number, and the
document is read again in the same way: the numbers then appear in the order of the text, without
hidden ones, wherever a parser moved them. So each stretch is compared, character by character, only
with the text made from it. A character has a position only if it is the filed one, or its form
under the rules of words. A stretch that is not where it should be has no position, and positions
continue at the next stretch that occurs only once in the text.
"""

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from html import unescape
from itertools import islice
from operator import itemgetter

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.text.html_pages import PAGE_END, read_pages
from edgar_search.text.page_breaks import reading_order
from edgar_search.text.raised import FILED_DASHES, FILED_FORMS
from edgar_search.text.versions import DocumentKind
from edgar_search.text.words import normalise

Span = tuple[int, int]
Packed = list[bytes | int]
Stretches = tuple["array[int]", "array[int]"]

# A quote begins a value only after "="; one that stays unclosed does not belong to an attribute.
_QUOTED = r"\"[^\"]{0,5000}+\"|'[^']{0,5000}+'"
_HTML_TAG = re.compile(
    r"<!--(?>(?:(?!-->).)*)(?:-->|\Z)"
    rf"|<(?=[A-Za-z/!?])(?>[^=<>]*+(?>(?:=\s*+(?:{_QUOTED})?[^=<>]*+)*)>|[^<>]*+>)",
    re.DOTALL,
)
_BREAKS = {
    DocumentKind.HTML: _HTML_TAG,
    DocumentKind.XML: re.compile(
        r"<!--(?>(?:(?!-->).)*)(?:-->|\Z)|<!\[CDATA\[|\]\]>|<[^<>]*+>", re.DOTALL
    ),
    DocumentKind.SCHEDULE: re.compile(r"</?[A-Za-z][A-Za-z0-9&-]*>|\n"),
    DocumentKind.PLAIN: re.compile(
        r"</?(?:PAGE|TABLE|CAPTION|S|C|FN|F[0-9]{1,2}|R)>|\n", re.IGNORECASE
    ),
}
_WITH_ENTITIES = frozenset({DocumentKind.HTML, DocumentKind.XML})
_BLANK = re.compile(r"(?>(?:\s|&nbsp;|&#160;)*)")
# Bounds on memory: mapping a report takes six times its bytes, and 220 MB if it has this many
# stretches. Reports have at most 5,400 stretches in a megabyte.
MOST_MAPPED_BYTES = 32 * 1_048_576
_MOST_STRETCHES = 300_000
_SHORTEST_TAG = 3  # characters: anything shorter between two words is not a tag
# Private-use characters, around the number of a stretch.
_BEGIN, _END = "\ue000", "\ue001"
_NUMBER = re.compile(f"{_BEGIN}([0-9]+){_END}")
_WORD = re.compile(r"\S+")
_CHARACTER = re.compile(r"\S")
_UNIT = re.compile(r"&(?:#[0-9]{1,30}|#[xX][0-9a-fA-F]{1,30}|[A-Za-z][A-Za-z0-9]{0,31});?|\S")
# Rulers and leaders are shortened, so some of these characters are not in the text.
_RULERS = frozenset("-=._")
_JOINED_AT_ONCE = 10_000  # strings of some characters take several times their memory
_MOST_MARKS = 30  # on one letter, as in `edgar_search.text.words`
# For a stretch to be searched for: its least and most characters, how far it must be unique on both
# sides, how many words may be skipped in it, and how many searches a second may cost.
_SURE, _LOOKED_FOR, _AHEAD, _MOST_TRIES, _MOST_SEARCHES = 12, 60, 20_000, 3, 300


class PlaceMap:
    """Maps characters of a text to the filed bytes.

    It consists of runs of characters that are equal on both sides, and of single characters of the
    text that replace several filed ones, or the reverse.
    """

    def __init__(self, body: bytes, source: str) -> None:
        self._texts, self._ends = array("I"), array("I")
        self._sources, self._lengths = array("I"), array("I")
        self._offsets = ByteOffsets(body, source)

    def packed(self) -> Packed:
        """Pack the map into bytes and numbers, to send it to another process."""
        runs = (self._texts, self._ends, self._sources, self._lengths)
        return [*(run.tobytes() for run in runs), *self._offsets.packed()]

    @classmethod
    def unpacked(cls, packed: Packed) -> "PlaceMap":
        """Rebuild the map from its packed form."""
        places = cls(b"", "")
        runs = (places._texts, places._ends, places._sources, places._lengths)
        for run, values in zip(runs, packed, strict=False):
            assert isinstance(values, bytes)
            run.frombytes(values)
        places._offsets = ByteOffsets.unpacked(packed[len(runs) :])
        return places

    @property
    def size(self) -> int:
        """Roughly how many bytes of memory it takes."""
        arrays = (self._texts, self._ends, self._sources, self._lengths)
        return sum(len(array) * array.itemsize for array in arrays) + self._offsets.size

    def add(self, text: int, length: int, source: int, filed_length: int) -> None:
        """Add a run after the last one of the text, in characters of both sides."""
        self._texts.append(text)
        self._ends.append(text + length)
        self._sources.append(source)
        self._lengths.append(filed_length)

    def add_alike(self, text: int, length: int, source: int) -> None:
        """Add a run that is equal on both sides, preceded only by white space in the text.

        It is merged with the run before if the gap between them is the same on both sides.
        """
        if self._ends:
            before = self._ends[-1] - self._texts[-1]
            gap = text - self._ends[-1]
            if (
                gap < _SHORTEST_TAG
                and before == self._lengths[-1]
                and gap == source - self._sources[-1] - before
            ):
                self._ends[-1] = text + length
                self._lengths[-1] = before + gap + length
                return
        self.add(text, length, source, length)

    @property
    def state(self) -> tuple[int, int, int]:
        """The number of runs, and the end and length of the last one, for `go_back`."""
        return (len(self._texts), self._ends[-1], self._lengths[-1]) if self._texts else (0, 0, 0)

    def go_back(self, state: tuple[int, int, int]) -> None:
        """Remove all runs added since this state."""
        for runs in (self._texts, self._ends, self._sources, self._lengths):
            del runs[state[0] :]
        if state[0]:
            self._ends[-1], self._lengths[-1] = state[1:]

    def moved(self, lines: Iterable[tuple[int, int, int]]) -> "PlaceMap":
        """Return the map of a text made of these lines of the mapped text.

        Each line is its old position, its new position, and its length.
        """
        places = PlaceMap(b"", "")
        places._offsets = self._offsets
        for start, place, length in sorted(lines, key=itemgetter(1)):
            run = max(0, bisect_right(self._texts, start) - 1)
            for number in range(run, bisect_left(self._texts, start + length)):
                text = max(start, self._texts[number])
                length_shown = min(start + length, self._ends[number]) - text
                first, filed = self._sources[number], self._lengths[number]
                if filed == self._ends[number] - self._texts[number]:
                    first, filed = first + text - self._texts[number], length_shown
                if length_shown > 0:
                    places.add(place + text - start, length_shown, first, filed)
        return places

    def filed(self, place: int) -> Span | None:
        """Return the filed bytes of a character.

        None for white space and for characters that were not filed.
        """
        run = bisect_right(self._texts, place) - 1
        if run < 0 or place >= self._ends[run]:
            return None
        start, length = self._sources[run], self._lengths[run]
        if length == self._ends[run] - self._texts[run]:
            start, length = start + place - self._texts[run], 1
        return self._offsets.offset(start), self._offsets.offset(start + length)

    def filed_runs(self, start: int, end: int) -> Iterator[Span]:
        """Yield the filed bytes of all characters between two positions, one run at a time."""
        run = max(0, bisect_right(self._texts, start) - 1)
        for number in range(run, bisect_left(self._texts, end)):
            text, behind = max(start, self._texts[number]), min(end, self._ends[number])
            if text >= behind:
                continue
            first, length = self._sources[number], self._lengths[number]
            if length == self._ends[number] - self._texts[number]:
                first, length = first + text - self._texts[number], behind - text
            yield self._offsets.offset(first), self._offsets.offset(first + length)

    def text_span(self, start: int, end: int) -> Span | None:
        """Return the text from the first to the last character that was filed in these bytes.

        None if no character was, or if a parser moved the first one after the last.
        """
        first, behind = self._offsets.character(start), self._offsets.character(end)
        order, starts = self._by_source
        at, last = self._runs_filed_in(first, behind)
        if last < at:
            return None
        begin = self._text_place(order[at], max(first, starts[at]))
        stop = self._text_place(order[last], behind - 1) + 1
        return (begin, stop) if begin < stop else None

    def is_shown(self, start: int, end: int) -> bool:
        """Return True if any character of the text was filed in these bytes."""
        first, last = self._runs_filed_in(
            self._offsets.character(start), self._offsets.character(end)
        )
        return first <= last

    def _runs_filed_in(self, first: int, behind: int) -> Span:
        """Return the first and the last run, in filed order, with characters of this range.

        The last is before the first if no run has any.
        """
        order, starts = self._by_source
        at = bisect_left(starts, first)
        if at and starts[at - 1] + self._lengths[order[at - 1]] > first:
            at -= 1
        return at, bisect_left(starts, behind) - 1

    def _text_place(self, run: int, source: int) -> int:
        inside = source - self._sources[run]
        return min(self._texts[run] + inside, self._ends[run] - 1)

    @cached_property
    def _by_source(self) -> tuple["array[int]", "array[int]"]:
        """The runs in filed order, and where each begins."""
        order = array("I", sorted(range(len(self._sources)), key=self._sources.__getitem__))
        return order, array("I", [self._sources[run] for run in order])


class ByteOffsets:
    """Converts character positions of a decoded body to byte offsets, and back."""

    def __init__(self, body: bytes, source: str) -> None:
        self._first = self._width = 0
        self._behind, self._added = array("L"), array("L", [0])
        wide = body.startswith((b"\xff\xfe", b"\xfe\xff"))
        self._width = 2 if wide else 1
        self._first = 2 if wide else 3 if body.startswith(b"\xef\xbb\xbf") else 0
        if self._first + len(source) * self._width >= len(body):
            return  # as in ASCII and Windows-1252
        added = 0
        for stretch in re.finditer("[\U00010000-\U0010ffff]+" if wide else "[^\0-\x7f]+", source):
            for at, char in enumerate(stretch[0], stretch.start() + 1):
                added += 2 if wide else len(char.encode("utf-8", "surrogatepass")) - 1
                self._behind.append(at)
                self._added.append(added)

    def packed(self) -> Packed:
        """Pack the offsets into bytes and numbers."""
        return [self._behind.tobytes(), self._added.tobytes(), self._first, self._width]

    @classmethod
    def unpacked(cls, packed: Packed) -> "ByteOffsets":
        """Rebuild the offsets from their packed form."""
        places = cls(b"", "")
        behind, added, first, width = packed
        assert isinstance(behind, bytes) and isinstance(added, bytes)
        assert isinstance(first, int) and isinstance(width, int)
        places._behind, places._added = array("L", behind), array("L", added)
        places._first, places._width = first, width
        return places

    @property
    def size(self) -> int:
        """Roughly how many bytes of memory it takes."""
        return len(self._behind) * self._behind.itemsize * 2

    def offset(self, character: int) -> int:
        """Return the byte at which a character begins."""
        more = self._added[bisect_right(self._behind, character)]
        return self._first + character * self._width + more

    def character(self, offset: int) -> int:
        """Return the first character that begins at or after a byte."""
        low, high = 0, max(0, offset - self._first) // self._width
        while low < high:
            middle = (low + high) // 2
            if self.offset(middle) < offset:
                low = middle + 1
            else:
                high = middle
        return low


def map_places(kind: DocumentKind, body: bytes, text: str) -> PlaceMap:
    """Map the searchable `text` of a document's `body` to its bytes.

    The map is empty for a body of more than MOST_MAPPED_BYTES, or with far more tags than reports
    have.
    """
    if len(body) > MOST_MAPPED_BYTES:
        return PlaceMap(b"", "")
    source = decode_bytes(body)
    places = PlaceMap(body, source)
    from edgar_search.text.forms import form_text  # the service starts without readers

    if kind is DocumentKind.XML and (form := form_text(source)) is not None:
        # The labels of a form were not filed.
        for start, end, first, behind in form.spans() if form.text == text else ():
            places.add(start, end - start, first, behind - first)
        return places
    if kind is not DocumentKind.HTML:
        _Alignment(source, text, places, kind).add_all(_in_order(kind, source))
        return places
    from edgar_search.text.document_text import laid_out_html
    from edgar_search.text.html import (
        html_text,
        ordinary_html_text,
        unordinary_html_text,
        with_ordinary_characters,
    )

    ordinary = with_ordinary_characters(source)
    filed = _html_stretches(ordinary)
    if filed is None:
        return places
    laid_out = laid_out_html(source)
    read = read_pages(laid_out)
    is_moved = bool(read.lines) and read.text == text
    text = laid_out.replace(PAGE_END, " ") if is_moved else text
    source = ordinary
    spans = _text_spans(source, filed, html_text)
    if not _Alignment(source, text, places, kind).add_all(spans) and (
        not (ordinary_html_text(source) or "").strip()
    ):
        # It is ordinary only after numbers replace odd characters, and then in another order.
        places = PlaceMap(body, source)
        spans = _text_spans(source, filed, unordinary_html_text)
        _Alignment(source, text, places, kind).add_all(spans)
    return places.moved(read.lines) if is_moved else places


def stretches(
    kind: DocumentKind, source: str, at: int = 0, last: int | None = None
) -> Iterator[Span]:
    """Yield the non-blank stretches between a source's tags, within a range."""
    last = len(source) if last is None else last
    for match in _BREAKS[kind].finditer(source, at, last):
        start = match.start()
        if start > at and _BLANK.fullmatch(source, at, start) is None:
            yield at, start
        at = match.end()
    if at < last and _BLANK.fullmatch(source, at, last) is None:
        yield at, last


def _in_order(kind: DocumentKind, source: str) -> Iterator[Span]:
    """Yield the stretches of a source that is not HTML, in reading order."""
    if kind is not DocumentKind.PLAIN:
        yield from stretches(kind, source)
        return
    # Line ends become what the text has at the same positions.
    lines = source.replace("\r\n", " \n").replace("\r", "\n")
    for start, end, _ in reading_order(lines):
        yield from stretches(kind, source, start, end)


def number_stretches(source: str, spans: Iterable[Span]) -> str:
    """Replace these stretches, given in order, by their numbers.

    Characters of the source that would delimit numbers become blanks.
    """
    if _BEGIN in source:
        source = source.replace(_BEGIN, " ")
    parts: list[str] = []
    pieces: list[str] = []
    at = 0
    for number, (start, end) in enumerate(spans):
        pieces.append(f"{source[at:start]}{_BEGIN}{number}{_END}")
        at = end
        if len(pieces) == _JOINED_AT_ONCE:
            parts.append("".join(pieces))
            pieces = []
    return "".join([*parts, *pieces, source[at:]])


def split_at_numbers(text: str) -> tuple[list[str], list[int]]:
    """Split a text at the numbers of stretches; return the pieces and the numbers."""
    pieces = _NUMBER.split(text)
    return pieces[::2], list(map(int, pieces[1::2]))


def _html_stretches(source: str) -> Stretches | None:
    """Return the starts and ends of the stretches of HTML; None if there are too many to map."""
    starts, ends = array("I"), array("I")
    for start, end in stretches(DocumentKind.HTML, source):
        starts.append(start)
        ends.append(end)
        if len(starts) > _MOST_STRETCHES:
            return None
    return starts, ends


def _text_spans(source: str, filed: Stretches, read: Callable[[str], str]) -> Iterator[Span]:
    """Yield the stretches of HTML that are text, in reading order."""
    starts, ends = filed
    text = read(number_stretches(source, zip(starts, ends, strict=True)))
    order = array("I", map(int, _NUMBER.findall(text)))
    del text
    for number in order:
        yield starts[number], ends[number]


class _Alignment:
    """Compares stretches of the source with the text, each from the end of the one before."""

    def __init__(self, source: str, text: str, places: PlaceMap, kind: DocumentKind) -> None:
        self._source, self._text, self._found = source, text, places
        self._breaks, self._entities = _BREAKS[kind], kind in _WITH_ENTITIES
        self._place = self._searches = 0

    def add_all(self, stretches: Iterable[Span]) -> bool:
        """Add the runs of all stretches, given in text order.

        Returns True if each begins where the one before ends.
        """
        all_there, is_lost = True, False
        for start, end in stretches:
            tries = _MOST_TRIES
            while start < end and tries:
                if is_lost and not self._find(start, end):
                    # The next text may follow a word that was left out.
                    word = _WORD.search(self._source, start, end)
                    start, tries = word.end() if word else end, tries - 1
                    continue
                start = self._add_stretch(start, end)
                is_lost = start < end
                all_there = all_there and not is_lost
        return all_there

    def _find(self, start: int, end: int) -> bool:
        """Skip to a stretch ahead; return True if it occurs once there, on both sides."""
        words = "".join(self._shown(self._source[start:end]).split())
        if len(words) < _SURE or self._searches == _MOST_SEARCHES:
            return False
        self._searches += 1
        pattern = re.compile(r"\s*+".join(map(re.escape, words[:_LOOKED_FOR])))
        filed = self._shown(self._breaks.sub("", self._source[start : start + _AHEAD]))
        matches = [*islice(pattern.finditer(self._text, self._place, self._place + _AHEAD), 2)]
        if len(matches) != 1 or len([*islice(pattern.finditer(filed), 2)]) != 1:
            return False
        self._place = matches[0].start()
        return True

    def _shown(self, filed: str) -> str:
        return normalise(unescape(filed) if self._entities else filed)

    def _add_stretch(self, start: int, end: int) -> int:
        """Add the runs of a stretch; return the position of the first word that does not match.

        That is the end if all match. The words before it are added if they are many.
        """
        stretch = self._source[start:end]
        stripped = stretch.strip()
        if self._add_alike(stripped, start + stretch.find(stripped)):
            return end
        place, state = self._place, self._found.state
        for word in _WORD.finditer(self._source, start, end):
            if self._add_alike(word[0], word.start()):
                continue
            before = self._place, self._found.state
            if not self._add_units(word[0], word.start()):
                if before[0] - place > _SURE:
                    place, state = before
                self._place = place
                self._found.go_back(state)
                return word.start()
        return end

    def _add_alike(self, shown: str, start: int) -> bool:
        """Add a run if the text continues exactly as filed; return True if it does."""
        self._skip_blanks()
        if not self._text.startswith(shown, self._place) or (self._entities and "&" in shown):
            return False
        self._found.add_alike(self._place, len(shown), start)
        self._place += len(shown)
        return True

    def _skip_blanks(self) -> None:
        text, place = self._text, self._place
        while place < len(text) and text[place].isspace():
            place += 1
        self._place = place

    def _add_units(self, word: str, start: int) -> bool:
        """Add the characters and entities of a word one by one; return True if all match."""
        self._skip_blanks()
        is_formed = self._text[self._place : self._place + 1] in FILED_FORMS
        if word[0] in _RULERS and word == word[0] * len(word) and not is_formed:
            self._add_ruler(word, start)
            return True
        units = [
            (unit[0], start + unit.start(), start + unit.end())
            for unit in (_UNIT if self._entities else _CHARACTER).finditer(word)
        ]
        added = start
        for number, (unit, first, behind) in enumerate(units):
            normalised = "".join(normalise(unescape(unit) if len(unit) > 1 else unit).split())
            if not normalised or first < added:
                continue
            self._skip_blanks()
            if self._text.startswith("/", self._place):
                if normalised.isdigit():
                    self._place += 1  # between a raised and a lowered number
                normalised = "/" if normalised in "\u2044\u2215" else normalised
            if self._text.startswith(normalised, self._place):
                if len(normalised) == behind - first == 1:
                    self._found.add_alike(self._place, 1, first)
                    self._place += 1
                    continue
                for _ in normalised:
                    self._found.add(self._place, 1, first, behind - first)
                    self._place += 1
            elif added := self._end_of_form(units, number) or self._end_of_marks(units, number):
                self._found.add(self._place, 1, first, added - first)
                self._place += 1
            elif normalised not in _RULERS:
                return False
        return True

    def _end_of_form(self, units: list[tuple[str, int, int]], number: int) -> int:
        """Return the end of raised or lowered characters that the text shows as one, or 0."""
        form = FILED_FORMS.get(self._text[self._place : self._place + 1], "")
        for written in (form, f"({form})") if form else ():
            filed = units[number : number + len(written)]
            plain_form = "".join(unescape(unit) for unit, _, _ in filed).translate(FILED_DASHES)
            if plain_form.upper() == written:
                return filed[-1][2]
        return 0

    def _add_ruler(self, ruler: str, start: int) -> None:
        """Add as many characters of a ruler as follow in the text."""
        self._skip_blanks()
        behind, last = self._place, self._place + len(ruler)
        while behind < last and self._text.startswith(ruler[0], behind):
            behind += 1
        if behind > self._place:
            self._found.add_alike(self._place, behind - self._place, start)
        self._place = behind

    def _end_of_marks(self, units: list[tuple[str, int, int]], number: int) -> int:
        """Return the end of a letter with marks that is one character of the text, otherwise 0."""
        letter = unescape(units[number][0])
        for unit, _, behind in units[number + 1 : number + 1 + _MOST_MARKS]:
            mark = unescape(unit)
            if not mark or not unicodedata.combining(mark[0]):
                break
            letter += mark
            composed = unicodedata.normalize("NFC", letter)
            if len(composed) == 1 and self._text.startswith(composed, self._place):
                return behind
        return 0

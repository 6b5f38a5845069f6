"""Citation marks in a streamed answer: `[3]` is recognised however the stream cuts it.

The model cites by the numbers of its prompt; readers see numbers from 1 in order of first appearance. What
cites nothing that was in the prompt is taken out. Code is left alone: `a[1]` between back-ticks is code. A
bracketed list that cannot be citations is left alone too: "in [0, 100]".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# [1] [1, 2] [1-3] [^1] 【1】 ［1］ [来源1] [source 1] 【1†source】, and one that links: [1](…).
# Each part is there or not in one way only, so that no text makes the expression try many.
_MARK = re.compile(
    r"[\[【［]\s*(?:(?:\^|来源|资料|文档|sources?|src|ref)\s*)?(?:[:：#]\s*)?"
    r"(\d{1,3}(?:\s*[,，、;；–-]\s*\d{1,3})*)\s*(?:†[^\]】］\n]{0,40})?[\]】］]",
    re.IGNORECASE,
)
_LINK = re.compile(r"\([^()\s]{0,200}\)")
_NUMBER = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")
# A longer range is hardly a citation of each.
_LONGEST_RANGE = 10
# What a mark stands behind or before when it closes a clause, and how one looks that can be nothing else.
_CLAUSE_ENDS = frozenset('.,;:!?。，；：！？、…"”’」』）)]】］\n')
_OPENS_OR_ENDS = _CLAUSE_ENDS | frozenset("[【［")
_PLAIN = re.compile(r"\[[\d\s,，、;；–-]+\]")
_SPECIAL = re.compile(r"[`\n\[【［]")
# The longest mark, and the longest link behind one.
_MARK_CHARS = 60
_LINK_CHARS = 202


@dataclass(frozen=True, slots=True)
class Text:
    """Answer text to pass on."""

    text: str


@dataclass(frozen=True, slots=True)
class Cited:
    """A source of the prompt is cited for the first time; comes before the text with its `[n]`."""

    source: int
    n: int


@dataclass(frozen=True, slots=True)
class Removed:
    """A citation to something that was not in the prompt was taken out."""

    number: int


type Part = Text | Cited | Removed


class CitationStream:
    """Feed it the model's text as it comes; it gives back what to show. `sources` counts from 1."""

    def __init__(self, sources: int) -> None:
        self._sources = sources
        self._numbers: dict[int, int] = {}
        self._held = ""
        self._before = ""
        self._in_fence = False
        self._in_code = False
        self._line_start = True

    def feed(self, text: str) -> Iterator[Part]:
        """What can be decided now."""
        self._held += text
        yield from self._drain(final=False)

    def finish(self) -> Iterator[Part]:
        """What was held back."""
        yield from self._drain(final=True)

    def _drain(self, *, final: bool) -> Iterator[Part]:
        held, at = self._held, 0
        out: list[str] = []
        while at < len(held):
            # Most text has no mark in it: whole stretches are passed on, not characters (6 times as fast).
            special = _SPECIAL.search(held, at)
            stop = special.start() if special is not None else len(held)
            if stop > at:
                stretch = held[at:stop]
                out.append(stretch)
                self._line_start = self._line_start and stretch.isspace()
                at = stop
                continue
            char = held[at]
            if char == "`":
                run = _run_length(held, at)
                if not final and at + run == len(held):
                    break  # more back-ticks may follow
                self._ticks(run)
                out.append(held[at : at + run])
                self._line_start = False
                at += run
                continue
            if char == "\n":
                self._line_start, self._in_code = True, False
            elif not self._in_code and not self._in_fence:
                mark = _MARK.match(held, at, at + _MARK_CHARS)
                end = self._end_of_mark(held, at, mark, final=final)
                if end is None:
                    break
                if mark is not None:
                    self._line_start = False
                    before = held[at - 2 : at] if at >= 2 else (self._before + held[:at])[-2:]
                    if self._is_citation(mark, before, held[mark.end() : mark.end() + 1]):
                        yield from self._write(self._resolve(mark[1]), out)
                        at = end
                    else:
                        out.append(mark[0])
                        at = mark.end()
                    continue
            out.append(char)
            self._line_start = self._line_start and char == "\n"
            at += 1
        if not final and out and out[-1].endswith(" "):
            out[-1] = out[-1][:-1]  # it goes with a mark that may be taken out
            at -= 1
        self._before = (self._before + held[max(at - 2, 0) : at])[-2:]
        self._held = held[at:]
        if any(out):
            yield Text("".join(out))

    def _write(self, parts: list[Part], out: list[str]) -> Iterator[Part]:
        """Marks into the text; events go out after the text before them."""
        for part in parts:
            if isinstance(part, Text):
                out.append(part.text)
                continue
            if isinstance(part, Removed) and out and out[-1].endswith(" "):
                out[-1] = out[-1][:-1]
            if any(out):
                yield Text("".join(out))
                out.clear()
            yield part

    def _ticks(self, run: int) -> None:
        if run >= 3 and (self._line_start or self._in_fence):
            self._in_fence = not self._in_fence
        elif not self._in_fence:
            self._in_code = not self._in_code

    def _end_of_mark(self, held: str, at: int, mark: re.Match[str] | None, *, final: bool) -> int | None:
        """Where the mark at `at` ends, its link included; `at` if there is none, None while undecided."""
        if mark is None:
            return None if not final and _may_become_mark(held, at) else at
        end = mark.end()
        if end == len(held):
            return end if final else None
        if held[end] != "(":
            return end
        link = _LINK.match(held, end)
        if link is not None:
            return link.end()
        undecided = not final and len(held) - end < _LINK_CHARS and not re.search(r"[\s)]", held[end + 1 :])
        return None if undecided else end

    def _is_citation(self, mark: re.Match[str], before: str, after: str) -> bool:
        """Whether a mark is meant as one. `before` and `after`: two characters and one, or the text's edge.

        All its numbers are sources, or it is written as only citations are. Else a list is text (an interval,
        a vector), and a single number a citation to nothing where it closes a clause or stands by itself.
        """
        sources = list(_sources(mark[1]))
        if all(1 <= source <= self._sources for source in sources) or not _PLAIN.fullmatch(mark[0]):
            return True
        if len(sources) > 1:
            return False
        if not after or after in _OPENS_OR_ENDS or before.strip()[-1:] in _CLAUSE_ENDS:
            return True
        # `row[7]` is an index; a word, a space and [7] is a mark like any other.
        glued = before[-1:].isascii() and (before[-1:].isalnum() or before[-1:] == "_")
        return sources[0] != 0 and not glued

    def _resolve(self, numbers: str) -> list[Part]:
        parts: list[Part] = []
        for source in _sources(numbers):
            if not 1 <= source <= self._sources:
                parts.append(Removed(source))
                continue
            n = self._numbers.get(source)
            if n is None:
                n = self._numbers[source] = len(self._numbers) + 1
                parts.append(Cited(source, n))
            parts.append(Text(f"[{n}]"))
        return parts


def _sources(numbers: str) -> Iterator[int]:
    """The numbers of a mark; `1-3` is three of them."""
    for found in _NUMBER.finditer(numbers):
        first, last = int(found[1]), int(found[2] or found[1])
        yield from range(first, last + 1) if first <= last < first + _LONGEST_RANGE else (first, last)


def _run_length(text: str, at: int) -> int:
    end = at
    while end < len(text) and text[end] == "`":
        end += 1
    return end - at


_PREFIX = re.compile(
    r"[\[【［]\s*(?:(?:\^|[a-z来源资料文档]{1,7})\s*)?(?:[:：#]\s*)?"
    r"(?:\d{1,3}(?:\s*[,，、;；–-]\s*\d{1,3})*\s*(?:[,，、;；–-]\s*)?)?(?:†[^\]】］\n]*)?\Z",
    re.IGNORECASE,
)


def _may_become_mark(text: str, at: int) -> bool:
    return len(text) - at < _MARK_CHARS and _PREFIX.match(text, at) is not None

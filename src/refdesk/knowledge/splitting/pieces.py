"""Overlapping pieces of one paragraph for the index; the paragraph itself stays whole."""

from bisect import bisect_left

from refdesk.knowledge.splitting.cutting import Cutter
from refdesk.knowledge.splitting.sentences import sentences
from refdesk.knowledge.splitting.sizing import Characters, last_at_or_before


def pieces(text: str, *, limit_chars: int, overlap_chars: int) -> list[tuple[int, int]]:
    """Spans of at most `limit_chars` characters that end at sentence ends where there are any in reach.

    Each next span begins at the earliest sentence start within `overlap_chars` before the end of the last
    one. Together they cover every character that is not white space. `overlap_chars` must be smaller than
    half of `limit_chars`, so that pieces advance.
    """
    if limit_chars < 1 or not 0 <= overlap_chars <= limit_chars // 2:
        raise ValueError("limit_chars must be positive and overlap_chars at most half of it")
    begin, finish = len(text) - len(text.lstrip()), len(text.rstrip())
    if finish <= begin:
        return []
    if finish - begin <= limit_chars:
        return [(begin, finish)]
    spans = sentences(text)
    starts, ends = [s for s, _ in spans], [e for _, e in spans]
    cutter = Cutter(text, Characters(text))
    out: list[tuple[int, int]] = []
    at = begin
    while True:
        if finish - at <= limit_chars:
            out.append((at, finish))
            return out
        # A sentence end in the first half would leave a stub: then a softer cut further on is better.
        cut = last_at_or_before(ends, at + limit_chars, at + limit_chars // 2)
        if cut is None:
            cut = cutter.hard(at, at + limit_chars)
        out.append((at, len(text[at:cut].rstrip()) + at))
        following = cut
        if overlap_chars:
            i = bisect_left(starts, cut - overlap_chars)
            if i < len(starts) and at < starts[i] < cut:
                following = starts[i]
        while text[following].isspace():
            following += 1
        at = following

"""Small to big: the part of a long paragraph that is returned around the piece it was found by.

Pure functions. A window ends where sentences end, so that what is quoted can be read by itself.
"""

from collections.abc import Sequence
from dataclasses import replace

from refdesk.knowledge.splitting import sentences
from refdesk.retrieval.search import Hit


def window(content: str, piece: tuple[int, int], chars: int) -> tuple[int, int]:
    """The span of `content` that holds `piece` and as many whole sentences around it as `chars` allow.

    Never less than the sentences that the piece touches, even where these are longer. What comes after is
    taken before what comes before: an explanation follows what it explains. In characters of `content`.
    """
    start, end = piece
    if len(content) <= chars or end - start >= len(content):
        return 0, len(content)
    spans = sentences(content)
    touched = [n for n, (left, right) in enumerate(spans) if right > start and left < end]
    if not touched:
        return start, end
    first, last = touched[0], touched[-1]
    grew = True
    while grew:
        grew = False
        if last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= chars:
            last, grew = last + 1, True
        if first > 0 and spans[last][1] - spans[first - 1][0] <= chars:
            first, grew = first - 1, True
    return spans[first][0], spans[last][1]


def with_windows(hits: Sequence[Hit], chars: int) -> list[Hit]:
    """The hits, each with the window around its piece as its passage."""
    return [replace(hit, passage=window(hit.content, hit.piece, chars)) for hit in hits]

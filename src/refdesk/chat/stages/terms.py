"""People's words become the documents' words before anything is searched: the application's own list.

The longest word first, each place once, so that a word inside a longer one is left alone and nothing that was
put in is replaced again. Latin words match whole words only, whatever their case.
"""

import re
from collections.abc import Sequence

from refdesk.chat.choices import TermMapping


def mapped(question: str, mapping: Sequence[TermMapping]) -> str:
    """The question with every mapped word in the documents' wording."""
    if not mapping:
        return question
    written = {one.said.casefold(): one.written for one in mapping}
    longest_first = sorted(written, key=len, reverse=True)
    pattern = re.compile("|".join(_whole(word) for word in longest_first), re.IGNORECASE)
    return pattern.sub(lambda found: written.get(found[0].casefold(), found[0]), question)


def _whole(word: str) -> str:
    """Han text has no word borders; a Latin word must not be found inside another."""
    before = r"(?<![A-Za-z0-9_])" if word[:1].isascii() and word[:1].isalnum() else ""
    after = r"(?![A-Za-z0-9_])" if word[-1:].isascii() and word[-1:].isalnum() else ""
    return before + re.escape(word) + after

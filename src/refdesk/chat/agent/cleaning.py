"""The search form of a question: what of it is worth looking for. The model sees the question as asked.

Requirement A14: path prefixes and the application's internal code names out, one case for each word,
technical keywords found. Pure, without a model.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

# `/data/kb/手册/install.md`, `C:\docs\install.md`, `file:///srv/a.pdf`: what is left is the name at the end.
_PATH = re.compile(r"(?:file://|[A-Za-z]:)?(?:[\\/][^\s\\/,，。；;:：？?！!“”\"'（）()]+)+[\\/](?=[^\s\\/])")
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
# Words that name something: with a capital inside, a digit, or joined parts; and whole capitals.
_TERM = re.compile(
    r"[A-Za-z][A-Za-z0-9]*(?:[-_./][A-Za-z0-9]+)+|[A-Z]*[a-z]+[A-Z][A-Za-z0-9]*|[A-Z]{2,}[A-Za-z0-9]*"
    r"|[A-Za-z]+\d[A-Za-z0-9]*|\d+(?:\.\d+){1,3}"
)
_QUOTED = re.compile(r"[《“\"「『`]([^》”\"」』`]{2,60})[》”\"」』`]")
MOST_KEYWORDS = 8
# A query that says more than this is a sentence, of which the keywords are searched alone.
LONG_QUERY_CHARS = 80


@dataclass(frozen=True, slots=True)
class SearchForm:
    """`text`: the cleaned words. `keywords`: names, codes, versions and quoted titles in it."""

    text: str
    keywords: tuple[str, ...]

    @property
    def query(self) -> str:
        """What to search with: the keywords of a long sentence, else all of it."""
        return " ".join(self.keywords) if len(self.text) > LONG_QUERY_CHARS and self.keywords else self.text


def search_form(text: str, code_names: Sequence[str] = ()) -> SearchForm:
    """The search form of a question or of a model's query; never empty unless `text` is."""
    plain = _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip()
    cleaned = _PATH.sub("", plain)
    for name in sorted(filter(None, code_names), key=len, reverse=True):
        cleaned = re.sub(_bounded(unicodedata.normalize("NFKC", name)), " ", cleaned, flags=re.IGNORECASE)
    cleaned = _one_case(_SPACE.sub(" ", cleaned).strip(" ,，:：")) or plain
    quoted = [found[1].strip() for found in _QUOTED.finditer(cleaned)]
    named = [found[0] for found in _TERM.finditer(cleaned)]
    return SearchForm(cleaned, tuple(dict.fromkeys([*quoted, *named]))[:MOST_KEYWORDS])


def _bounded(name: str) -> str:
    """A code name where it stands as a word; Han characters need no boundary."""
    left = r"(?<![A-Za-z0-9_])" if name[0].isascii() and name[0].isalnum() else ""
    right = r"(?![A-Za-z0-9_])" if name[-1].isascii() and name[-1].isalnum() else ""
    return left + re.escape(name) + right


def _one_case(text: str) -> str:
    """Every word in the form it has first, so that `NGINX` and `nginx` are one."""
    first: dict[str, str] = {}

    def same(found: re.Match[str]) -> str:
        return first.setdefault(found[0].lower(), found[0])

    return _WORD.sub(same, text)

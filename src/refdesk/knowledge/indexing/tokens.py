"""Text to lexical tokens: the same function for what is indexed and for what is asked.

Han runs are cut by a jieba-compatible segmenter in search mode; scripts without spaces that it does not
know give character pairs; everything else gives Unicode words, case-folded and, in Latin script, stemmed.
A code (`ERR-1042`, `v2.3.1`, `CrashLoopBackOff`, `snake_case`) is kept whole and in parts, so that both
the exact code and its words find it; `第6章` is read as `第六章`. Stop words are kept: their frequency
makes them weightless.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol, cast

import rjieba
from Stemmer import Stemmer  # pyright: ignore[reportUnknownVariableType] -- a C extension without types

from refdesk.knowledge.indexing.folding import fold, without_accents
from refdesk.knowledge.indexing.scanning import HAN, LETTER, PAIRED
from refdesk.knowledge.indexing.section_numbers import with_han_numbers
from refdesk.knowledge.indexing.vocabulary import Vocabulary

MAX_TOKEN_CHARS = 64

_SCANNER = re.compile(
    rf"(?P<han>[{HAN}]+)"
    rf"|(?P<paired>[{PAIRED}]+)"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?![\d,]))"
    r"|(?P<symbolic>\b[A-Za-z](?:\+\+|\#)(?!\w))"
    rf"|(?P<word>{LETTER}+(?:(?:[-_.']|__|--){LETTER}+)*)"
)
_CONNECTORS = re.compile(r"[-_.]+")
_HUMPS = re.compile(r"[^\W\d_a-z]+(?=[^\W\d_a-z][a-z])|[^\W\d_a-z]?[a-z]+|[^\W\d_a-z]+|\d+")
_NUMBERED = re.compile(r"\d+(?:\.\d+){2,}")
_LONG_NUMBER = re.compile(r"[^\W\d_].*\d{3}")
_DECIMAL = re.compile(r"\d+\.\d+")
_VERSION = re.compile(r"v\d+(?:\.\d+)+")


NO_TERMS = Vocabulary()


class _Stems(Protocol):
    def stemWord(self, word: str, /) -> str: ...


# No cache of its own: `_word` below has one, and the stemmer's is not safe in threads.
_stemmer = cast(_Stems, Stemmer("english", 0))


def tokenize(text: str, *, terms: Vocabulary = NO_TERMS) -> list[str]:
    """Tokens of `text` in order of appearance, repetitions included; empty for punctuation alone.

    `terms` are the words of the base's term base: where one occurs it is a token as a whole, besides what the
    segmenter makes of it, and once only where the segmenter keeps it whole as well.
    """
    folded = fold(text)
    tokens = list(_scan(with_han_numbers(folded)))
    if terms:
        whole = Counter(whole_token(key) for key in terms.occurrences(folded))
        if whole:
            present = Counter(tokens)
            for token, times in whole.items():
                tokens.extend([token] * (times - present[token]))
    return tokens


@lru_cache(maxsize=50_000)
def whole_token(key: str) -> str:
    """The token that stands for the whole of a term base's word, given by its key.

    Where the tokenizer makes just one token of the word, that is it, so that the word is not counted twice.
    """
    tokens = tokenize(key)
    return tokens[0] if len(tokens) == 1 else key


def identifiers(text: str) -> list[str]:
    """Codes in `text` as the tokens that stand for the whole of them: letters with digits, `2.3.1`,
    `snake_case`, or at least three humps. Hyphenated words and names like `McDonald` are none."""
    found: list[str] = []
    for match in _SCANNER.finditer(fold(text)):
        word = match.group()
        if match.lastgroup != "word" or "'" in word or len(word) > MAX_TOKEN_CHARS:
            continue
        has_digit = any(character.isdigit() for character in word)
        has_letter = any(character.isalpha() for character in word)
        is_camel = "-" not in word and "." not in word and len(_HUMPS.findall(word)) >= 3
        is_version = _NUMBERED.fullmatch(word) is not None
        if (has_digit and has_letter and len(word) >= 4) or "_" in word or is_camel or is_version:
            whole = word.casefold()
            found.append(whole)
            if _VERSION.fullmatch(whole):
                found.append(whole[1:])
    return found


def exact_codes(text: str) -> list[str]:
    """Those codes in `text` that name one thing, as the token that all ways to write them have.

    Three digits or more in a row after a letter (`ERR-1042`, `ERR_1042` and `ERR1042` are one; not `1980s` or
    `500mg`), or three numbers (`v2.3.1`).
    """
    return [
        code if "." in code else _CONNECTORS.sub("", code)
        for code in identifiers(text)
        if _LONG_NUMBER.search(code) or _NUMBERED.fullmatch(code.removeprefix("v"))
    ]


def _scan(folded: str) -> Iterator[str]:
    for match in _SCANNER.finditer(folded):
        piece = match.group()
        match match.lastgroup:
            case "han":
                # Without guesses at new words: a guess differs from one sentence to the next, and then the
                # query's word is not the document's. nDCG@10 on four sets .7353, with guesses .7340.
                yield from rjieba.cut_for_search(piece, False)
            case "paired":
                yield from _pairs(piece)
            case "number":
                yield piece.replace(",", "")
            case "symbolic":
                yield piece.casefold()
                yield piece[0].casefold()
            case _:
                yield from _word(piece)


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for start in range(len(run) - 1):
        yield run[start : start + 2]


@lru_cache(maxsize=200_000)
def _word(word: str) -> tuple[str, ...]:
    """A word as one stem, or a code as the whole of it followed by its parts."""
    if "'" in word:  # don't, company's, l'amour: what the apostrophe cuts off is no word
        return tuple(token for part in word.split("'") if len(part) > 1 for token in _word(part))
    if _DECIMAL.fullmatch(word):
        return (word,)
    parts = [part for part in _CONNECTORS.split(word) if part]
    humps = [hump for part in parts for hump in _HUMPS.findall(without_accents(part))]
    if len(humps) <= 1 and len(parts) == 1:
        return (_stem(word),)
    whole = word.casefold()
    tokens: list[str] = []
    if len(whole) <= MAX_TOKEN_CHARS:
        tokens.append(whole)
        squeezed = _CONNECTORS.sub("", whole)
        # `ERR-1042`, `ERR_1042` and `ERR1042` are one code; `2.3.1` and `23.1` are not.
        if squeezed != whole and "." not in whole:
            tokens.append(squeezed)
        if _VERSION.fullmatch(whole):
            tokens.append(whole[1:])
    pieces = [_stem(part) for part in parts] if len(parts) > 1 else []
    if len(humps) > len(parts):
        pieces += [_stem(hump) for hump in humps]
    # One-character parts (the 3 and 1 of v2.3.1) say nothing and are everywhere.
    tokens.extend(piece for piece in dict.fromkeys(pieces) if len(piece) > 1 and piece not in tokens)
    return tuple(tokens)


def _stem(word: str) -> str:
    plain = without_accents(word.casefold())[:MAX_TOKEN_CHARS]
    return _stemmer.stemWord(plain) if plain.isascii() else plain

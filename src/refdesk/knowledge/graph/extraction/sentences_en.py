"""Relations in English sentences: a subject, words that mean one of the kinds, and their objects.

A name is found by walking from the verb: backwards to an article or a word that cannot be of the name,
forwards to the next such word.
"""

import re
from collections.abc import Iterator, Sequence

from refdesk.knowledge.graph.extraction.facts import MAX_LABEL_CHARS, Fact
from refdesk.knowledge.graph.extraction.names import is_code, is_value, name_of
from refdesk.knowledge.graph.extraction.words import WORDS

_ADVERBS = WORDS["adverbs"]
_STOPS = WORDS["stops"]
_OF = "of"
# kind, words, whether the relation runs from the object to the subject
_VERBS: tuple[tuple[str, str, bool], ...] = (
    ("depends_on", r"depends? (?:up)?on|relies on|rely on|requires?|needs", False),
    (
        "part_of",
        r"(?:is |are |, )?(?:a )?(?:part|component|module|submodule|member|subsystem) of|belongs? to",
        False,
    ),
    ("part_of", r"consists of|comprises|contains|includes", True),
    ("supports", r"supports?|is compatible with|works with", False),
    ("uses", r"uses?|is (?:built|based) on|runs on|is powered by", False),
    ("connects_to", r"connects? to|talks? to|communicates with|is connected to", False),
    ("replaces", r"(?:was|is|has been|will be) (?:replaced|superseded) by", True),
    ("replaces", r"replaces|replaced|supersedes|superseded", False),
    ("causes", r"causes|leads to|results in", False),
    ("made_by", r"(?:is|was|are) (?:developed|made|manufactured|built|produced) by", False),
    ("managed_by", r"is (?:maintained|managed|operated|owned) by", False),
    ("located_in", r"is (?:located|installed|deployed) (?:in|on|at)", False),
    ("provides", r"provides|exposes|offers", False),
    ("alias", r"(?:is )?(?:also|formerly) (?:known as|called)|is short for", False),
)
_PATTERNS = [
    (kind, back, re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.I)) for kind, words, back in _VERBS
]
_SENTENCE = re.compile(r"(?:[^.!?;\n]|[.!?](?=\S))+")
_WORD = re.compile(r"[^\W_][\w+#/-]*(?:[.'&][\w+#/-]+)*|[,:()–—]")
_JOINED = re.compile(r"\band\s*$", re.IGNORECASE)
_PROPER = re.compile(r"[A-Z0-9]")
_NEGATED = re.compile(r"(?:\bnot|\bnever|\bno longer|n't)\s*$", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"\bthe\s+(?P<label>[\w.\s-]{2,40}?)\s+of\s+(?:the\s+|an?\s+)?(?P<source>[\w.+#/\s-]{2,50}?)\s+"
    r"(?:is|are|equals|defaults to|is set to)\s+(?P<value>[^,;]{1,40}?)"
    r"(?=$|[,;]|\s+(?:and|by|on|in|for|at)\b)",
    re.IGNORECASE,
)
_SHIPS = re.compile(
    r"\b(?:ships|comes|is shipped|is delivered|runs)\s+(?:with\s+)?"
    r"(?P<label>firmware|version|release|software)\s+"
    r"(?:version\s+)?(?P<value>v?\d+(?:\.\d+)+[\w-]*)",
    re.IGNORECASE,
)
_ALIAS = re.compile(
    r"\(\s*(?:also\s+(?:known as|called)|aka|a\.k\.a\.|abbreviated(?:\s+as)?|hereafter|formerly)?[,\s\"“']*"
    r"(?P<alias>[A-Z][\w-]{1,20}(?:\s[A-Z0-9][\w-]*){0,3})[\"”']*(?P<short>\s+for short)?\s*\)"
)
_CODE = re.compile(
    r"\b(?P<code>[A-Za-z]{1,10}[-_]?\d[\w-]*)\s+"
    r"(?:means|indicates|signals|(?:is raised|is returned|occurs) when)\s+"
    r"(?:that\s+)?(?:the\s+|an?\s+)?(?P<meaning>[^.;,\n]{4,100})"
)


def facts_of_english(text: str) -> Iterator[Fact]:
    """All relations in the English sentences of a text."""
    for match in _SENTENCE.finditer(text):
        sentence = match.group()
        if not re.search(r"[A-Za-z]{2} ", sentence):
            continue
        start = match.start() + len(sentence) - len(sentence.lstrip())
        for source, kind, label, target, ends in _of_sentence(sentence):
            yield Fact(source, kind, label[:MAX_LABEL_CHARS], target, start, match.end(), ends)


def _of_sentence(text: str) -> Iterator[tuple[str, str, str, str, bool]]:
    for match in _CODE.finditer(text):
        if is_code(match["code"]):
            yield match["code"], "means", "", match["meaning"].strip(), True
    for match in _ALIAS.finditer(text):
        name = _before(text[: match.start()])
        if name and (match["short"] or _abbreviates(match["alias"], name) or "known" in match.group()):
            yield name, "alias", "", match["alias"], False
    text = re.sub(r"\([^()]{0,80}\)", " ", text)
    for match in _ATTRIBUTE.finditer(text):
        source, value = name_of(match["source"]), match["value"].strip().rstrip(".")
        if source and name_of(match["label"]) and (is_value(value) or is_code(value)):
            yield source, "attribute", match["label"].strip(), value, is_value(value)
    subject: str | None = None
    for match, kind, back in _verbs(text):
        before = text[: match.start()]
        # What a comma closes is an aside: the sentence's subject goes on behind it.
        source = subject if subject and before.rstrip().endswith(",") else _before(before)
        if source is None and _JOINED.search(before):
            source = subject
        if source is None:
            continue
        for target in _after(text[match.end() :]):
            if _is_a_mere_word(before, source) and not _PROPER.search(target):
                continue
            first, second = (target, source) if back else (source, target)
            yield first, kind, match.group().strip(" ,").lower(), second, False
        subject = source
    for match in _SHIPS.finditer(text):
        before = text[: match.start()]
        source = subject if before.rstrip().endswith(",") and subject else _before(before) or subject
        if source is not None:
            yield source, "attribute", match["label"].lower(), match["value"], True


def _is_a_mere_word(before: str, source: str) -> bool:
    """Whether a subject is the first word of its sentence alone: `Success depends on planning`."""
    return before.strip() == source and source.isalpha() and source[1:].islower()


def _verbs(text: str) -> list[tuple[re.Match[str], str, bool]]:
    """The words that mean a kind, in order; of two that overlap the kind named first."""
    found: list[tuple[re.Match[str], str, bool]] = []
    for kind, back, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            overlaps = any(one.start() < match.end() and match.start() < one.end() for one, _, _ in found)
            if not overlaps and not _NEGATED.search(text[: match.start()]):
                found.append((match, kind, back))
    return sorted(found, key=lambda one: one[0].start())


def _before(text: str) -> str | None:
    """The name that a text ends in."""
    words = _WORD.findall(text)
    while words and (words[-1].lower() in _ADVERBS or words[-1] in (",", "which", "that")):
        words.pop()
    name: list[str] = []
    for word in reversed(words):
        lower = word.lower()
        if lower in ("the", "a", "an") or lower in _STOPS or word in ",:()–—" or lower in _ADVERBS:
            break
        name.insert(0, word)
    return _named(name)


def _after(text: str) -> Iterator[str]:
    """The names that a text begins with: one, or several joined by commas and `and`."""
    words = _WORD.findall(text)
    name: list[str] = []
    for word in [*words[:24], "–"]:
        lower = word.lower()
        if lower in ("the", "a", "an", "both", "either") and not name:
            continue
        if lower in ("and", "or", ","):
            found = _named(name)
            if found is None:
                return
            yield found
            name = []
        elif lower in _STOPS or word in ":()–—" or lower in _ADVERBS:
            break
        else:
            name.append(word)
    found = _named(name)
    if found is not None:
        yield found


def _named(words: Sequence[str]) -> str | None:
    """The words as a name: in lower case only of two words or less, or with an article's worth of shape."""
    if not words:
        return None
    name = name_of(" ".join(words))
    if name is None or is_value(name):
        return None
    return name if len(words) <= 6 else None


def _abbreviates(short: str, name: str) -> bool:
    letters = "".join(word[0] for word in re.findall(r"[A-Za-z0-9]+", name)).casefold()
    return len(short) > 1 and short.casefold() in (letters, letters + "s")

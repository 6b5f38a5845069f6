"""Entities first: people, places, organisations, products and codes of a question, then a second search."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import rjieba

from refdesk.knowledge.indexing import identifiers, term_of, tokenize
from refdesk.retrieval.search import Hit, Ranking, SearchRequest
from refdesk.retrieval.strategies.protocol import Ranker

WEIGHT = 0.2
_DEPTH = 30
_NAMING = 10
_MOST = 8
_NAME_TAGS = frozenset(("nr", "nrt", "nrfg", "ns", "nt", "nz"))
_QUOTED = re.compile(r"[“\"「『《]([^”\"」』》\n]{2,60})[”\"」』》]")
# Capitalised words that follow each other: Apple Inc, Best Buy, FY2018, 3M, AirPods Pro.
_CAPITALISED = re.compile(r"\b[A-Z0-9][\w&.'-]*[A-Z0-9a-z](?:\s+[A-Z][\w&.'-]*)*")
# A label of a table goes on in small letters: Deferred charges, Capital redemption reserve.
_GOES_ON = re.compile(r"(?:\s+[a-z][a-z-]*){1,3}")
_LABEL_ENDS = frozenset(
    "a about above an and as at been between by calculated did do does during for from had has have held in"  # noqa: SIM905
    " is are was were be not of on or over per reported shown than that the these this those to under which"
    " who whose with".split()
)
# What follows the subject of such a verb is another verb: did Best Buy report.
_VERB_FOLLOWS = re.compile(r"\b(?:can|could|did|do|does|had|has|have|may|must|should|will|would)\s+$", re.I)
_BEGINS = re.compile(r"(?:^|[.!?。！？]\s*)$")
_QUESTION_WORDS = frozenset(
    "i what which who whom whose when where why how is are was were do does did can".split()  # noqa: SIM905
)


def entities_in(question: str) -> list[str]:
    """Names, quoted words and codes in a question, in order, each once, at most eight."""
    found: list[str] = [match[1] for match in _QUOTED.finditer(question)]
    found += _capitalised(question)
    found += [_as_written(code, question) for code in identifiers(question)]
    found += [str(word) for word, tag in rjieba.tag(question) if tag in _NAME_TAGS and len(word) >= 2]
    unique: dict[str, str] = {}
    for entity in found:
        unique.setdefault(entity.casefold().strip(), entity.strip())
    return list(unique.values())[:_MOST]


def _as_written(code: str, question: str) -> str:
    at = question.casefold().find(code)
    return question[at : at + len(code)] if at >= 0 else code


def _capitalised(question: str) -> list[str]:
    """Runs of capitalised words; the first word of a sentence is one of them only if it looks like a name."""
    found: list[str] = []
    for match in _CAPITALISED.finditer(question):
        words = match[0].split()
        first = words[0]
        is_plain = first[1:].islower() or first.isdigit()
        if first.lower() in _QUESTION_WORDS or (is_plain and _BEGINS.search(question, 0, match.start())):
            words = words[1:] if is_plain else words
        if words and not (len(words) == 1 and words[0].isdigit()):
            is_subject = _VERB_FOLLOWS.search(question, 0, match.start()) is not None
            found.append(" ".join([*words, *([] if is_subject else _rest_of_label(question, match.end()))]))
    return found


def _rest_of_label(question: str, at: int) -> list[str]:
    goes_on = _GOES_ON.match(question, at)
    words = goes_on[0].split() if goes_on is not None else []
    ends = next((i for i, word in enumerate(words) if word in _LABEL_ENDS), len(words))
    return words[:ends]


class EntityFocused:
    """The plain ranking with what names the question's entities before what does not.

    The entities are looked up first; the documents that name them are then searched for the question itself,
    so that a paragraph that the plain search had no place for is found, and judged by the same scores.
    """

    name: ClassVar[str] = "entity-focused"
    descriptions: ClassVar[Mapping[str, str]] = {
        "en": "Finds the names, places, products and codes of a question first,"
        " then searches the documents that mention them.",
        "zh": "先找到问题中的人名、地名、机构、产品和编号，再在提到它们的文档中检索。",
    }

    def fits(self, question: str) -> bool:
        return bool(entities_in(question))

    async def rank(self, request: SearchRequest, search: Ranker) -> Ranking:
        plain = await search(request, depth=max(request.top_n, _DEPTH))
        entities = entities_in(request.query)
        if not entities:
            return plain
        hits = list(plain.hits)
        naming = await search(replace(request, query=" ".join(entities), mode="keywords"), depth=_NAMING)
        documents = list(dict.fromkeys(hit.document_id for hit in naming.hits[:_NAMING]))
        if documents and request.document_ids is None:
            inside = await search(replace(request, document_ids=documents), depth=request.top_n)
            known = {hit.paragraph_id for hit in hits}
            last = hits[-1].score if hits else 0.0
            hits += [replace(hit, score=last) for hit in inside.hits if hit.paragraph_id not in known]
        wanted = [frozenset(term_of(token) for token in tokenize(entity)) for entity in entities]
        scored = [replace(hit, score=(1 - WEIGHT) * hit.score + WEIGHT * _named(hit, wanted)) for hit in hits]
        return replace(plain, hits=sorted(scored, key=lambda hit: -hit.score))


def _named(hit: Hit, entities: list[frozenset[int]]) -> float:
    """The share of the entities' words that a hit and its titles hold, 0–1; each entity counts alike."""
    shares = [len(words & hit.terms) / len(words) for words in entities if words]
    return sum(shares) / len(shares) if shares else 0.0

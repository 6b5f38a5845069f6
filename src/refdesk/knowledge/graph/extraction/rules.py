"""Relations by rules alone: no model, no cost, the same result every time."""

from collections.abc import Iterator

from refdesk.knowledge.graph.extraction.facts import Fact, Passage
from refdesk.knowledge.graph.extraction.lines import facts_of_lines, spans_of_lines
from refdesk.knowledge.graph.extraction.names import subject_of
from refdesk.knowledge.graph.extraction.sentences_en import facts_of_english
from refdesk.knowledge.graph.extraction.sentences_zh import facts_of_chinese
from refdesk.knowledge.graph.extraction.tables_in_text import facts_of_tables, without_tables
from refdesk.knowledge.graph.keys import entity_key

RECIPE = "rules-2"
"""Another one whenever the rules find something else, so that paragraphs are read anew."""

MAX_FACTS = 400
"""Of one paragraph; the largest table of a paragraph has fewer cells."""


def read_by_rules(passage: Passage) -> list[Fact]:
    """The relations of a paragraph in reading order, each once."""
    found: dict[tuple[str, str, str, str], Fact] = {}
    for fact in _facts(passage):
        source, target = entity_key(fact.source), entity_key(fact.target)
        if not source or not target or source == target:
            continue
        label = entity_key(fact.label) if fact.kind == "attribute" else ""
        found.setdefault((source, fact.kind, label, target), fact)
        if len(found) >= MAX_FACTS:
            break
    return sorted(found.values(), key=lambda fact: fact.start)


def _facts(passage: Passage) -> Iterator[Fact]:
    subject = subject_of(list(passage.titles), passage.document_name)
    yield from facts_of_tables(passage.content, subject)
    rest = without_tables(passage.content)
    yield from facts_of_lines(rest, subject)
    for start, end in spans_of_lines(rest):
        rest = rest[:start] + " " * (end - start - 1) + "\n" + rest[end:]
    yield from facts_of_chinese(rest)
    yield from facts_of_english(rest)

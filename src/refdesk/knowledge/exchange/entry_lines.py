"""Entries of an index as lines of an export, each beside its vector."""

from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from uuid import UUID

import numpy as np

from refdesk.knowledge.exchange.records import as_line
from refdesk.knowledge.exchange.repository import ExportRepository, StoredEntry
from refdesk.knowledge.indexing import (
    EntryKind,
    KnowledgeIndex,
    match_questions,
    salt_of,
    term_of,
    whole_token,
)


class EntryLines:
    """Lines of one index. `numbers` are those of documents; `questions` and `texts` those of questions.

    `words` are keys of terms that entries may hold besides their own.
    """

    def __init__(
        self,
        repository: ExportRepository,
        index: KnowledgeIndex,
        numbers: Mapping[UUID, int],
        questions: Mapping[UUID, int],
        texts: Sequence[str],
        words: Iterable[str],
    ) -> None:
        self._repository = repository
        self._index = index
        self._numbers = numbers
        self._question_numbers = questions
        self._texts = texts
        self._extra = frozenset(term_of(whole_token(key)) for key in words)
        self._salt = salt_of(index.id)

    async def of(self, ids: Sequence[UUID]) -> AsyncGenerator[tuple[bytes, bytes]]:
        """Line and vector of each entry of these documents, in order."""
        attached = await self._repository.attached(ids)
        places = {
            paragraph_id: (self._numbers[document_id], place)
            for document_id, paragraphs in (await self._repository.paragraph_ids(ids)).items()
            for place, paragraph_id in enumerate(paragraphs)
        }
        waiting: list[StoredEntry] = []
        async for entry in self._repository.entries(self._index, ids):
            if waiting and waiting[0].paragraph_id != entry.paragraph_id:
                for line in self._lines(waiting, places, attached):
                    yield line
                waiting = []
            waiting.append(entry)
        for line in self._lines(waiting, places, attached):
            yield line

    def _lines(
        self,
        entries: Sequence[StoredEntry],
        places: dict[UUID, tuple[int, int]],
        attached: dict[UUID, list[UUID]],
    ) -> Iterator[tuple[bytes, bytes]]:
        """Lines of one paragraph's entries, each of a question with the question's number.

        Where it cannot be told which entry is whose there are none, and the paragraph is embedded again.
        """
        if not entries:
            return
        paragraph_id = entries[0].paragraph_id
        whose = self._whose(entries, attached.get(paragraph_id, []))
        if whose is None:
            return
        number, place = places[paragraph_id]
        for entry in entries:
            record = {
                "d": number,
                "p": place,
                "kind": entry.kind,
                "start": entry.start,
                "end": entry.end,
                "q": whose.get(id(entry)),
            }
            halves = np.frombuffer(entry.vector, dtype=">f2", offset=4).astype("<f2")
            yield as_line(record), halves.tobytes()

    def _whose(self, entries: Sequence[StoredEntry], questions: Sequence[UUID]) -> dict[int, int] | None:
        """Numbers of the questions of those entries that are of one, by the entry's `id()`."""
        asked = [entry for entry in entries if entry.kind == EntryKind.QUESTION]
        if len(asked) != len(questions):
            return None
        numbers = [self._question_numbers[question] for question in questions]
        terms = [frozenset(t ^ self._salt for t in entry.terms) for entry in asked]
        places = match_questions(terms, [self._texts[number] for number in numbers], self._extra)
        if places is None:
            return None
        return {id(asked[place]): number for place, number in zip(places, numbers, strict=True)}

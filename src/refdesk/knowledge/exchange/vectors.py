"""Vectors of an archive as entries of the new base's index: taken as they are, nothing is embedded."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

import numpy as np
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.knowledge.exchange.groups import EntryKey, Item, Vector
from refdesk.knowledge.indexing import (
    EntryKind,
    IndexWriter,
    KnowledgeIndex,
    ParagraphText,
    PreparedEntries,
    prepare_entries,
)
from refdesk.knowledge.splitting import lead, lead_chars, overlap_of
from refdesk.knowledge.tables import Paragraph
from refdesk.knowledge.terms import term_base

INDEX_AT_ONCE = 500


class VectorRows:
    """Writes entries of one index. `owned` raises where the import may not write any more."""

    def __init__(
        self,
        database: Database,
        scope: Scope,
        index: KnowledgeIndex,
        questions: Sequence[str],
        owned: Callable[[AsyncSession], Awaitable[object]],
    ) -> None:
        self._database = database
        self._scope = scope
        self._index = index
        self._question_texts = questions
        self._question_numbers = {text: number for number, text in enumerate(questions)}
        self._owned = owned

    async def save(self, group: Sequence[Item], ids: Sequence[UUID]) -> None:
        """Write the entries of all paragraphs whose vectors are complete."""
        async with self._database.transaction() as session:
            rows = await session.execute(
                select(Paragraph.document_id, Paragraph.id)
                .where(Paragraph.document_id.in_(ids), Paragraph.workspace_id == self._scope.workspace_id)
                .order_by(Paragraph.document_id, Paragraph.position, Paragraph.id)
            )
            places: dict[UUID, list[UUID]] = {}
            for document, paragraph in rows:
                places.setdefault(document, []).append(paragraph)
        texts: list[ParagraphText] = []
        vectors: dict[UUID, dict[EntryKey, Vector]] = {}
        for item, key in zip(group, ids, strict=True):
            if not item.document.is_split or len(places.get(key, ())) != len(item.paragraphs):
                continue  # edited since an earlier part of this run; its own jobs see to it
            for place, paragraph_id in enumerate(places.get(key, ())):
                texts.append(self.text_of(paragraph_id, key, item, place))
                vectors[paragraph_id] = item.vectors.get(place, {})
        for start in range(0, len(texts), INDEX_AT_ONCE):
            await self._write(texts[start : start + INDEX_AT_ONCE], vectors, group, ids)

    def text_of(self, paragraph_id: UUID, key: UUID, item: Item, place: int) -> ParagraphText:
        """A paragraph of the archive as the index takes it."""
        line = item.paragraphs[place]
        before = item.paragraphs[place - 1] if place and item.paragraphs[place - 1].is_active else None
        chosen = item.document.split_settings.model_dump()
        return ParagraphText(
            id=paragraph_id,
            document_id=key,
            title_chain=[*line.title_chain, line.title],
            content=line.content,
            revision=line.revision,
            is_active=line.is_active,
            questions=[self._question_texts[q] for q in line.questions],
            overlap=overlap_of(chosen),
            lead=lead(before, line, lead_chars(item.document.kind, chosen)),
        )

    async def _write(
        self,
        texts: Sequence[ParagraphText],
        vectors: dict[UUID, dict[EntryKey, Vector]],
        group: Sequence[Item],
        ids: Sequence[UUID],
    ) -> None:
        async with self._database.transaction() as session:
            terms = await term_base(session, self._scope, self._index.knowledge_base_id)
        prepared = await asyncio.to_thread(prepare_entries, texts, terms=terms.words)
        found: dict[UUID, list[Vector | None]] = {text.id: [] for text in texts}
        for entry in prepared.entries:
            question = self._question_numbers[entry.text] if entry.kind == EntryKind.QUESTION else None
            key = (int(entry.kind), entry.start, entry.end, question)
            found[entry.paragraph.id].append(vectors[entry.paragraph.id].get(key))
        complete = {key for key, some in found.items() if all(vector is not None for vector in some)}
        chosen = PreparedEntries(
            tuple(text for text in prepared.paragraphs if text.id in complete),
            tuple(entry for entry in prepared.entries if entry.paragraph.id in complete),
        )
        if not chosen.paragraphs:
            return
        # Entries of a paragraph stand together and in the order of `found`.
        flat = [vector for text in chosen.paragraphs for vector in found[text.id] if vector is not None]
        matrix = np.stack(flat) if flat else np.zeros((0, self._index.dimensions), dtype=np.float32)
        inactive = {key for item, key in zip(group, ids, strict=True) if not item.document.is_active}
        async with self._database.transaction() as session:
            await self._owned(session)
            writer = IndexWriter(session, self._scope, self._index)
            await writer.hold()
            now = await term_base(session, self._scope, self._index.knowledge_base_id)
            if now.version != terms.version:  # the words are others; the pieces are the same
                chosen = await asyncio.to_thread(prepare_entries, chosen.paragraphs, terms=now.words)
            await writer.write(chosen, matrix)
            hidden = [text.id for text in chosen.paragraphs if text.document_id in inactive]
            if hidden:
                await writer.set_active(hidden, False)

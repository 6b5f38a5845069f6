"""All reading that a search does besides the legs' own statement."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, cast
from uuid import UUID

from sqlalchemy import Select, Uuid, bindparam, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.knowledge import Document, KnowledgeBase, Paragraph, unready_documents, visible_lists
from refdesk.knowledge.indexing import SHARED_HOME, KnowledgeIndex, shared_graphs, table_of
from refdesk.knowledge.terms import NO_TERM_BASE, TermBase, TermState, term_base
from refdesk.retrieval.candidates import Row
from refdesk.retrieval.errors import KnowledgeBaseNotFound
from refdesk.retrieval.statements import WORTH_A_GRAPH, Target


@dataclass(frozen=True, slots=True)
class SearchedIndex:
    """The active index of a base that is searched."""

    target: Target
    knowledge_base_id: UUID
    model_id: UUID
    terms_version: int | None = None


@dataclass(frozen=True, slots=True)
class FoundParagraph:
    """What is shown of a paragraph, and the terms of the entry that it was found by.

    `direct_from` is the similarity from which the paragraph itself is the answer, if its document says so.
    `said_date` is the document's own date as its metadata has it, `added_at` when it came in.
    """

    document_id: UUID
    knowledge_base_id: UUID
    document_name: str
    title: str
    title_chain: tuple[str, ...]
    content: str
    page: int | None
    boxes: list[Any]
    direct_from: float | None
    said_date: str | None
    added_at: datetime
    terms: list[int]
    position: int


@dataclass(frozen=True, slots=True)
class Standing:
    """The bases asked as they stand. `unready` counts documents that are read or indexed at the moment."""

    indexes: tuple[SearchedIndex, ...]
    unready: int


# To put the statement together takes longer than to run it.
@lru_cache(maxsize=512)
def _standing(scope: Scope, *, other: bool) -> Select[UUID, UUID, int, int, UUID, int, int, int]:
    index_id = bindparam("instead", type_=Uuid) if other else KnowledgeBase.active_index_id
    return (
        select(
            KnowledgeBase.id,
            KnowledgeIndex.id,
            KnowledgeIndex.home,
            KnowledgeIndex.dimensions,
            KnowledgeIndex.model_id,
            KnowledgeIndex.entry_count,
            TermState.version,
            unready_documents(scope),
        )
        .outerjoin(
            KnowledgeIndex,
            (KnowledgeIndex.id == index_id)
            & (KnowledgeIndex.knowledge_base_id == KnowledgeBase.id)
            & (KnowledgeIndex.workspace_id == scope.workspace_id),
        )
        .outerjoin(
            TermState,
            (TermState.knowledge_base_id == KnowledgeBase.id)
            & (TermState.workspace_id == scope.workspace_id),
        )
        .where(
            KnowledgeBase.id.in_(bindparam("base_ids", expanding=True)),
            KnowledgeBase.workspace_id == scope.workspace_id,
            KnowledgeBase.deleted_at.is_(None),
        )
    )


class SearchRepository:
    """Reads within a workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def active_indexes(
        self, knowledge_base_ids: Sequence[UUID], *, instead: UUID | None = None
    ) -> list[SearchedIndex]:
        """The active index of each base that has one. Raises `KnowledgeBaseNotFound` for a foreign id.

        `instead` is another index of one of these bases, and then the only one searched.
        """
        return list((await self.standing(knowledge_base_ids, instead=instead)).indexes)

    async def standing(self, knowledge_base_ids: Sequence[UUID], *, instead: UUID | None = None) -> Standing:
        """What `active_indexes` gives, with how many documents these bases still work on."""
        wanted = list(dict.fromkeys(knowledge_base_ids))
        parameters = {"base_ids": wanted} | ({} if instead is None else {"instead": instead})
        query = _standing(self._scope, other=instead is not None)
        rows = (await self._session.execute(query, parameters)).all()
        missing = set(wanted) - {base_id for base_id, *_ in rows}
        if missing:
            raise KnowledgeBaseNotFound(knowledge_base_ids=sorted(map(str, missing)))
        found: list[SearchedIndex] = []
        on_the_way = 0
        # An outer join: a base without an active index has NULLs, whatever the columns' types say.
        for base_id, index_id, home, dimensions, model_id, entries, terms, unready in cast(
            "Sequence[tuple[UUID, UUID | None, int, int, UUID, int, int | None, int]]", rows
        ):
            on_the_way += unready
            if index_id is not None:
                target = Target(index_id, home, dimensions, entries)
                found.append(SearchedIndex(target, base_id, model_id, terms))
        return Standing(tuple(found), on_the_way)

    async def term_base(self, index: SearchedIndex) -> TermBase:
        """The words and synonyms that questions to this index's base are read with."""
        if index.terms_version is None:
            return NO_TERM_BASE
        return await term_base(self._session, self._scope, index.knowledge_base_id, index.terms_version)

    async def apply(self, settings: dict[str, str]) -> None:  # scope: reads no rows
        """Settings for the rest of the transaction."""
        calls = ", ".join(f"set_config(:name_{i}, :value_{i}, true)" for i in range(len(settings)))
        parameters = {f"name_{i}": name for i, name in enumerate(settings)}
        parameters |= {f"value_{i}": value for i, value in enumerate(settings.values())}
        await self._session.execute(text(f"SELECT {calls}"), parameters)

    async def graphs_for(self, targets: Sequence[Target]) -> dict[int, int]:  # scope: reads no rows
        """The shared home's graphs, where one could be quicker than comparing these indexes' rows."""
        small = sum(target.entries for target in targets if target.home == SHARED_HOME)
        return await shared_graphs(self._session) if small > WORTH_A_GRAPH else {}

    async def paragraphs_in(self, document_ids: Sequence[UUID]) -> int:
        """How many paragraphs these documents have."""
        query = select(func.coalesce(func.sum(Document.paragraph_count), 0)).where(
            Document.id.in_(document_ids), Document.workspace_id == self._scope.workspace_id
        )
        return int((await self._session.execute(query)).scalar_one())

    async def visible_lists(self, knowledge_base_ids: Sequence[UUID]) -> frozenset[int] | None:
        """The access lists under which the caller may see documents of these bases; None: all."""
        return await visible_lists(self._session, self._scope, knowledge_base_ids)

    async def visible_paragraphs(
        self, knowledge_base_ids: Sequence[UUID], lists: Collection[int]
    ) -> tuple[int, int]:
        """How many paragraphs of these bases lie under these access lists, and how many there are in all."""
        held = func.sum(Document.paragraph_count)
        seen_of = held.filter(Document.acl_id.in_(lists))
        query = select(func.coalesce(seen_of, 0), func.coalesce(held, 0)).where(
            Document.knowledge_base_id.in_(knowledge_base_ids),
            Document.workspace_id == self._scope.workspace_id,
        )
        seen, every = (await self._session.execute(query)).one()
        return int(seen), int(every)

    async def visible(self, rows: Sequence[Row], lists: Collection[int]) -> list[Row]:
        """Those of these rows whose documents lie under these lists now.

        An entry may lag behind its document while a job takes a change of access to the index.
        """
        query = (
            select(Paragraph.id)
            .join(Document, Document.id == Paragraph.document_id)
            .where(
                Paragraph.id.in_({row.paragraph_id for row in rows}),
                Paragraph.workspace_id == self._scope.workspace_id,
                Document.acl_id.in_(lists),
            )
        )
        seen = set(await self._session.scalars(query)) if rows else set[UUID]()
        return [row for row in rows if row.paragraph_id in seen]

    async def candidates(  # scope: the statement names indexes that `active_indexes` gave
        self, statement: str, parameters: dict[str, Any]
    ) -> list[Row]:
        """The rows of a legs' statement, each entry once."""
        rows: dict[UUID, Row] = {}
        for record in await self._session.execute(text(statement), parameters):
            row = Row(*record)
            rows.setdefault(row.entry_id, row)
        return list(rows.values())

    async def paragraphs(self, rows: Iterable[Row]) -> dict[UUID, FoundParagraph]:
        """What is shown of each row's paragraph, by entry id; rows whose paragraph is gone are left out."""
        homes: dict[int, list[UUID]] = {}
        for row in rows:
            homes.setdefault(row.home, []).append(row.entry_id)
        if not homes:
            return {}
        parts: list[str] = []
        parameters: dict[str, Any] = {"workspace_id": self._scope.workspace_id}
        for home, ids in homes.items():
            parameters[f"ids_{home}"] = ids
            parts.append(
                f"SELECT id, paragraph_id, terms FROM {table_of(home)}"
                f" WHERE id = ANY(CAST(:ids_{home} AS uuid[])) AND workspace_id = :workspace_id"
            )
        statement = (
            "SELECT e.id, p.document_id, p.knowledge_base_id, d.name, p.title, p.title_chain, p.content,"
            " p.page, p.boxes,"
            " CASE WHEN d.hit_handling = 'directly_return' THEN d.direct_return_similarity END,"
            " coalesce(d.meta->>'effective_date', d.found_meta->>'effective_date',"
            " d.meta->>'published_at', d.found_meta->>'published_at'), d.created_at, e.terms, p.position"
            f" FROM ({' UNION ALL '.join(parts)}) e"
            " JOIN paragraphs p ON p.id = e.paragraph_id JOIN documents d ON d.id = p.document_id"
            " WHERE p.workspace_id = :workspace_id AND d.deleted_at IS NULL"
        )
        found: dict[UUID, FoundParagraph] = {}
        for record in await self._session.execute(text(statement), parameters):
            entry_id, document_id, base_id, name, title, chain, *rest = record
            found[entry_id] = FoundParagraph(document_id, base_id, name, title, tuple(chain), *rest)
        return found

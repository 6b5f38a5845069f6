"""The terms of a knowledge base: what people do with them. After each change the index follows by itself."""

import base64
import binascii
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.jobs import Urgency, enqueue
from refdesk.kit.errors import CursorInvalid
from refdesk.kit.ids import new_id
from refdesk.knowledge.access import sees_whole
from refdesk.knowledge.repository import RESOURCE, KnowledgeBaseRepository
from refdesk.knowledge.terms import csv_files
from refdesk.knowledge.terms.errors import TermInvalid, TermNotFound, TermTaken, TooManyTerms
from refdesk.knowledge.terms.repository import TermRepository
from refdesk.knowledge.terms.schemas import (
    RefusedLine,
    TermChange,
    TermDraft,
    TermImport,
    TermPage,
    TermProgress,
    TermView,
)
from refdesk.knowledge.terms.tables import Term, TermState
from refdesk.knowledge.terms.words import MAX_WORDS, CleanTerm, clean_term

REINDEX_TERMS = "reindex-terms"
SHOWN = 100


class Terms:
    """The terms of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.repository = TermRepository(session, scope)

    async def page(self, base_id: UUID, *, limit: int, cursor: str | None, q: str | None) -> TermPage:
        """Terms of a base by word; the cursor is the last word seen."""
        await KnowledgeBaseRepository(self.session, self.scope).get(base_id)
        rows, total = await self.repository.page(base_id, limit=limit + 1, after=_decoded(cursor), q=q)
        shown = rows[:limit]
        following = base64.urlsafe_b64encode(shown[-1].word.encode()).decode() if len(rows) > limit else None
        return TermPage(
            items=[TermView.model_validate(row) for row in shown],
            next_cursor=following,
            total=total,
            progress=_progress(
                await self.repository.state(base_id),
                counts=await sees_whole(self.session, self.scope, base_id),
            ),
        )

    async def create(self, base_id: UUID, draft: TermDraft) -> TermView:
        """Raises `TermInvalid`, `TermTaken`, `TooManyTerms`."""
        clean = clean_term(draft.word, draft.synonyms)
        state = await self._lock(base_id)
        await self._check(base_id, clean)
        term = Term(id=new_id(), workspace_id=self.scope.workspace_id, knowledge_base_id=base_id)
        _fill(term, clean)
        self.session.add(term)
        await self._changed(state)
        audit(self.session, self.scope, "term.create", (RESOURCE, base_id), word=clean.word)
        return await self._view(term)

    async def change(self, term_id: UUID, change: TermChange) -> TermView:
        """Raises `TermNotFound`, `TermInvalid`, `TermTaken`, `TooManyTerms`."""
        term = await self._get(term_id)
        state = await self._lock(term.knowledge_base_id)
        clean = clean_term(
            term.word if change.word is None else change.word,
            term.synonyms if change.synonyms is None else change.synonyms,
        )
        await self._check(term.knowledge_base_id, clean, but=term)
        _fill(term, clean)
        await self._changed(state)
        audit(self.session, self.scope, "term.change", (RESOURCE, term.knowledge_base_id), word=clean.word)
        return await self._view(term)

    async def delete(self, term_id: UUID) -> None:
        term = await self._get(term_id)
        state = await self._lock(term.knowledge_base_id)
        audit(self.session, self.scope, "term.delete", (RESOURCE, term.knowledge_base_id), word=term.word)
        await self.session.delete(term)
        await self._changed(state)

    async def delete_all(self, base_id: UUID) -> None:
        """Empty the term base."""
        state = await self._lock(base_id)
        for term in await self.repository.all(base_id):
            await self.session.delete(term)
        await self._changed(state)
        audit(self.session, self.scope, "term.delete-all", (RESOURCE, base_id))

    async def export(self, base_id: UUID) -> bytes:
        """All terms as CSV."""
        await KnowledgeBaseRepository(self.session, self.scope).get(base_id)
        terms = await self.repository.all(base_id)
        return csv_files.write((term.word, term.synonyms) for term in terms)

    async def import_file(self, base_id: UUID, data: bytes, *, dry_run: bool) -> TermImport:
        """Take in a CSV file: words that are there get the file's synonyms, what else is there stays.

        Raises `TermFileUnreadable`, `TooManyTerms`. Lines that cannot be taken are refused one by one.
        """
        table = csv_files.read(data)
        state = await self._lock(base_id)
        plan = _Plan(await self.repository.all(base_id))
        for row in table.rows:
            plan.take(row)
        if plan.count > MAX_WORDS:
            raise TooManyTerms(limit=MAX_WORDS, words=plan.count)
        if not dry_run and (plan.new or plan.changed):
            for clean in plan.new:
                term = Term(id=new_id(), workspace_id=self.scope.workspace_id, knowledge_base_id=base_id)
                _fill(term, clean)
                self.session.add(term)
            for term, clean in plan.changed:
                _fill(term, clean)
            await self._changed(state)
            counts = {"new": len(plan.new), "changed": len(plan.changed)}
            audit(self.session, self.scope, "term.import", (RESOURCE, base_id), **counts)
        return TermImport(
            is_dry_run=dry_run,
            new=len(plan.new),
            changed=len(plan.changed),
            unchanged=plan.unchanged,
            refused=len(plan.refused),
            new_words=[clean.word for clean in plan.new[:SHOWN]],
            changed_words=[clean.word for _, clean in plan.changed[:SHOWN]],
            refused_lines=plan.refused[:SHOWN],
            encoding=table.encoding,
        )

    async def _get(self, term_id: UUID) -> Term:
        term = await self.repository.find(term_id)
        if term is None:
            raise TermNotFound(term_id=str(term_id))
        self.scope.require_resource(RESOURCE, term.knowledge_base_id)
        await KnowledgeBaseRepository(self.session, self.scope).get(term.knowledge_base_id)
        return term

    async def _lock(self, base_id: UUID) -> TermState:
        """One change of a base's terms at a time."""
        await KnowledgeBaseRepository(self.session, self.scope).get(base_id)
        return await self.repository.ensure_state(base_id)

    async def _check(self, base_id: UUID, clean: CleanTerm, but: Term | None = None) -> None:
        for other in await self.repository.holding(base_id, clean.keys):
            if but is None or other.id != but.id:
                raise _taken(clean, other)
        held = 0 if but is None else len(but.keys)
        if await self.repository.count_keys(base_id) - held + len(clean.keys) > MAX_WORDS:
            raise TooManyTerms(limit=MAX_WORDS)

    async def _changed(self, state: TermState) -> None:
        await self.session.flush()
        await follow_terms(self.session, self.scope, state)

    async def _view(self, term: Term) -> TermView:
        await self.session.refresh(term)
        return TermView.model_validate(term)


async def follow_terms(session: AsyncSession, scope: Scope, state: TermState) -> None:
    """Note that the base's terms are others now, in the transaction that changed them.

    What is indexed from now on is indexed with them; a word that is gone counts in no question any more, and
    one that is new does once every paragraph with it is indexed with it.
    """
    wanted = await TermRepository(session, scope).keys(state.knowledge_base_id)
    state.held = sorted(wanted.intersection(state.held))
    state.traces = sorted(wanted.union(state.traces))
    state.version += 1
    state.is_pending = not (wanted == frozenset(state.held) == frozenset(state.traces))
    state.cursor, state.progress_done, state.progress_total = None, 0, 0
    await session.flush()
    if state.is_pending:
        await enqueue(
            session,
            REINDEX_TERMS,
            lock=f"terms:{state.knowledge_base_id}",
            unique=True,
            urgency=Urgency.AWAITED,  # its first turn; what is more goes on among the bulk
            line=state.knowledge_base_id,
            workspace_id=str(scope.workspace_id),
            knowledge_base_id=str(state.knowledge_base_id),
        )


class _Plan:
    """What the rows of a file come to, beside the terms that are there."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.new: list[CleanTerm] = []
        self.changed: list[tuple[Term, CleanTerm]] = []
        self.unchanged = 0
        self.refused: list[RefusedLine] = []
        self._by_word = {term.keys[0]: term for term in terms}
        self._owners = {key: term.word for term in terms for key in term.keys}
        self._lines: dict[str, int] = {}

    @property
    def count(self) -> int:
        return len(self._owners)

    def take(self, row: csv_files.Row) -> None:
        if row.fault is not None:
            self._refuse(row, *row.fault)
            return
        try:
            clean = clean_term(row.word, row.synonyms)
        except TermInvalid as error:
            self._refuse(row, error.code, error.text, **error.details)
            return
        key = clean.keys[0]
        if key in self._lines:
            first = self._lines[key]
            self._refuse(row, "term-line-repeated", f"The word is in line {first} already.", line=first)
            return
        term = self._by_word.get(key)
        own = frozenset(term.keys) if term is not None else frozenset[str]()
        foreign = [k for k in clean.keys if k in self._owners and k not in own]
        if foreign:
            owner = self._owners[foreign[0]]
            message = f"“{foreign[0]}” belongs to the term “{owner}”."
            self._refuse(row, "term-taken", message, word=foreign[0], term=owner)
            return
        self._lines[key] = row.line
        if term is None:
            self.new.append(clean)
        elif (term.word, tuple(term.synonyms)) == (clean.word, clean.synonyms):
            self.unchanged += 1
            return
        else:
            self.changed.append((term, clean))
            for gone in own.difference(clean.keys):
                del self._owners[gone]
        self._owners |= dict.fromkeys(clean.keys, clean.word)

    def _refuse(self, row: csv_files.Row, code: str, message: str, **details: str | int) -> None:
        self.refused.append(
            RefusedLine(line=row.line, word=row.word[:100], code=code, message=message, details=details)
        )


def _fill(term: Term, clean: CleanTerm) -> None:
    term.word = clean.word
    term.synonyms = list(clean.synonyms)
    term.keys = list(clean.keys)


def _taken(clean: CleanTerm, other: Term) -> TermTaken:
    words = dict(zip(clean.keys, (clean.word, *clean.synonyms), strict=True))
    shared = next(key for key in clean.keys if key in other.keys)
    return TermTaken(word=words[shared], term=other.word, term_id=str(other.id))


def _progress(state: TermState | None, *, counts: bool) -> TermProgress:
    """`counts`: tell how many paragraphs hold the words; that would tell of hidden ones, too."""
    if state is None:
        return TermProgress(is_current=True, done=0, total=0)
    done, total = (state.progress_done, state.progress_total) if counts else (0, 0)
    return TermProgress(is_current=not state.is_pending, done=done, total=total)


def _decoded(cursor: str | None) -> str | None:
    if cursor is None:
        return None
    try:
        return base64.urlsafe_b64decode(cursor).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise CursorInvalid from None

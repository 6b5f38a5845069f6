"""Terms that come with an archive: there before the first paragraph, so that the index need not follow."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.ids import new_id
from refdesk.knowledge.terms.repository import TermRepository
from refdesk.knowledge.terms.tables import Term
from refdesk.knowledge.terms.words import CleanTerm


async def bring_in(session: AsyncSession, scope: Scope, base_id: UUID, terms: Sequence[CleanTerm]) -> None:
    """Give a base that holds no paragraphs its terms; nothing where it has a term base already."""
    repository = TermRepository(session, scope)
    if not terms or await repository.state(base_id) is not None:
        return
    state = await repository.ensure_state(base_id)
    for clean in terms:
        session.add(
            Term(
                id=new_id(),
                workspace_id=scope.workspace_id,
                knowledge_base_id=base_id,
                word=clean.word,
                synonyms=list(clean.synonyms),
                keys=list(clean.keys),
            )
        )
    state.held = state.traces = sorted(key for clean in terms for key in clean.keys)
    await session.flush()

"""What an index needs from time to time: folding, weighting anew, a graph over its vectors."""

from uuid import UUID

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.knowledge.indexing.homes import move_to_own_home
from refdesk.knowledge.indexing.repository import SHARED_HOME, IndexRepository
from refdesk.knowledge.indexing.reweighting import has_drifted, reweight
from refdesk.knowledge.indexing.shared_graph import build_shared_graph, needs_shared_graph
from refdesk.knowledge.indexing.statistics import StatisticsRepository
from refdesk.knowledge.indexing.tables import KnowledgeIndex


async def fold(database: Database, scope: Scope, index_id: UUID) -> KnowledgeIndex:
    """Fold the waiting deltas; the index as it is then. Raises `IndexNotFound`."""
    async with database.transaction() as session:
        await StatisticsRepository(session, scope).fold(index_id)
        return await IndexRepository(session, scope).get(index_id)


def needs_own_home(index: KnowledgeIndex, exact_scan_limit: int) -> bool:
    return index.home == SHARED_HOME and index.entry_count > exact_scan_limit


async def settle(database: Database, scope: Scope, index_id: UUID, exact_scan_limit: int) -> None:
    """Do at once all that the jobs would do later: for imports and evaluations that cannot wait."""
    index = await fold(database, scope, index_id)
    if has_drifted(index):
        await reweight(database, scope, index_id)
    if needs_own_home(index, exact_scan_limit):
        await move_to_own_home(database, scope, index_id)
        return
    async with database.transaction() as session:
        wanted = await needs_shared_graph(session, index.dimensions, exact_scan_limit)
    if wanted:
        await build_shared_graph(database, index.dimensions)

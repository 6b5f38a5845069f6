"""The sample library: a small bilingual knowledge base about a company that does not exist.

So that a newcomer can look around before adding anything. Its documents are ordinary ones, with files that
can be downloaded; only `meta.sample` of the base tells that it is ours.
"""

import json
from importlib.resources import files

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway import Gateway
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge.bases import KnowledgeBases
from refdesk.knowledge.blobs import store
from refdesk.knowledge.documents import enqueue_processing
from refdesk.knowledge.repository import KnowledgeBaseRepository
from refdesk.knowledge.schemas import KnowledgeBaseCreate, KnowledgeBaseView
from refdesk.knowledge.tables import Document
from refdesk.knowledge.versions import add_document
from refdesk.knowledge.views import SUGGESTED

__all__ = ["create_sample_library", "sample_files", "suggested_questions"]

NAME = "Sample library · 示例资料库"
DESCRIPTION = (
    "Policies, guides and specifications of Harbour Lantern, a company that does not exist. "
    "虚构公司“港灯科技”的制度、指南和产品资料。"
)


def sample_files() -> dict[str, bytes]:
    """The documents by file name."""
    folder = files(__name__)
    return {
        entry.name: entry.read_bytes()
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".md")
    }


def suggested_questions() -> list[str]:
    """Questions that the documents answer."""
    return json.loads(files(__name__).joinpath("questions.json").read_text("utf-8"))


async def create_sample_library(
    session: AsyncSession, database: Database, scope: Scope, settings: Settings, gateway: Gateway
) -> KnowledgeBaseView:
    """The workspace's sample library; made now if there is none, with its documents waiting to be indexed."""
    bases = KnowledgeBases(session, scope, settings)
    repository = KnowledgeBaseRepository(session, scope)
    existing = await repository.sample()
    if existing is not None:
        return await bases.view(existing.id)
    name = NAME
    number = 1
    while await repository.by_name(name) is not None:
        number += 1
        name = f"{NAME} {number}"
    body = KnowledgeBaseCreate(name=name, description=DESCRIPTION, meta={"sample": True})
    created = await bases.create(body, gateway)
    base = await repository.get(created.id)
    base.meta = {**base.meta, SUGGESTED: suggested_questions()}
    for file_name, data in sample_files().items():
        blob = await store(session, database, scope, data)
        document = Document(
            id=new_id(),
            workspace_id=scope.workspace_id,
            knowledge_base_id=base.id,
            blob_id=blob.id,
            name=file_name,
            warnings=[],
            meta={},
            split_settings={},
            created_by=scope.user_id,
        )
        await add_document(session, document)
        await enqueue_processing(session, scope, document.id)
    return await bases.view(base.id)

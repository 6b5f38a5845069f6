"""Knowledge bases, their documents and paragraphs, from an uploaded file to a searchable index.

Owns what people put in: files, documents, paragraphs and the jobs that process and remove them. Searching is
`retrieval`; this room only keeps the index complete. Its parts: `parsing` (bytes → blocks), `splitting`
(blocks → paragraphs), `indexing` (paragraphs → entries).
"""

from refdesk.accounts import key_resources, on_member_removed
from refdesk.knowledge import (
    document_routes,
    draft_routes,
    exchange,
    graph,
    jobs,
    paragraph_routes,
    pattern_routes,
    qa,
    question_routes,
    rebuilding,
    routes,
    sources,
    terms,
    version_routes,
)
from refdesk.knowledge.access import EVERYONE, may_see, sees_all, visible_lists
from refdesk.knowledge.access import jobs as access_jobs
from refdesk.knowledge.access import routes as access_routes
from refdesk.knowledge.access.repository import forget_member
from refdesk.knowledge.bases import KnowledgeBases, users_of_bases
from refdesk.knowledge.documents import Documents
from refdesk.knowledge.errors import FileTooLarge, MetaInvalid
from refdesk.knowledge.filenames import content_disposition
from refdesk.knowledge.graph import FoundPaths, PathsView, find_paths
from refdesk.knowledge.handed_over import HandedDocuments, HandedText
from refdesk.knowledge.metadata import effective_metadata
from refdesk.knowledge.paragraph_repository import ParagraphRepository
from refdesk.knowledge.paragraphs import Paragraphs
from refdesk.knowledge.parse_settings import parse_options
from refdesk.knowledge.readiness import unready, unready_documents
from refdesk.knowledge.repository import (
    RESOURCE,
    DocumentFilter,
    DocumentRepository,
    KnowledgeBaseRepository,
    require_base,
)
from refdesk.knowledge.schemas import SplitOptions
from refdesk.knowledge.split_checks import require_sound_patterns
from refdesk.knowledge.tables import Document, KnowledgeBase, Paragraph
from refdesk.knowledge.versions import cited_paragraphs
from refdesk.knowledge.views import split_settings

routers = (
    routes.router,
    document_routes.router,
    paragraph_routes.router,
    version_routes.router,
    draft_routes.router,
    question_routes.router,
    pattern_routes.router,
    sources.router,
    qa.router,
    exchange.router,
    terms.router,
    rebuilding.router,
    access_routes.router,
    graph.router,
)
on_member_removed.append(forget_member)
key_resources[RESOURCE] = require_base

__all__ = [
    "EVERYONE",
    "Document",
    "DocumentFilter",
    "DocumentRepository",
    "Documents",
    "FileTooLarge",
    "FoundPaths",
    "HandedDocuments",
    "HandedText",
    "KnowledgeBase",
    "KnowledgeBaseRepository",
    "KnowledgeBases",
    "MetaInvalid",
    "Paragraph",
    "ParagraphRepository",
    "Paragraphs",
    "PathsView",
    "SplitOptions",
    "access_jobs",
    "cited_paragraphs",
    "content_disposition",
    "effective_metadata",
    "find_paths",
    "jobs",
    "may_see",
    "parse_options",
    "require_sound_patterns",
    "routers",
    "sees_all",
    "split_settings",
    "unready",
    "unready_documents",
    "users_of_bases",
    "visible_lists",
]

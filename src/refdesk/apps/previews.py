"""Previews of prompts: the draft is checked in a transaction of its own, the search is made outside it."""

from refdesk.accounts import Scope
from refdesk.apps.preview_schemas import PreviewMessage, PreviewRequest, PromptPreview
from refdesk.apps.service import ApplicationService, faults_of
from refdesk.chat import RunManager
from refdesk.gateway import estimated_tokens
from refdesk.kit.database import Database


async def preview_of(
    runs: RunManager, database: Database, scope: Scope, request: PreviewRequest
) -> PromptPreview:
    """The messages as they would be sent. Templates with faults are filled as they are, so that one sees them
    beside what is wrong."""
    async with database.transaction() as session:
        profile = await ApplicationService(session, scope).draft(request)
    shown = await runs.preview(scope, profile, request.question, request.situation, request.tool_result)
    messages = [
        PreviewMessage(role=one.role, content=one.text, tokens=estimated_tokens(one.text))
        for one in shown.messages
    ]
    return PromptPreview(
        situation=shown.situation,
        actual=shown.actual,
        language=shown.language,
        messages=messages,
        tokens=sum(message.tokens for message in messages),
        context_tokens=shown.context_tokens,
        has_model=shown.has_model,
        sources=shown.sources,
        left_out=shown.left_out,
        faults=faults_of(request.prompts),
    )

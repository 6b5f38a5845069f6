"""What an application offers over the Model Context Protocol, and what a call of it gives."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.chat import RunManager, RunProfile, RunSubmission
from refdesk.chat.agent import Corpus, corpus_tools, graph_tools, plan
from refdesk.gateway import ToolCall
from refdesk.kit.database import Database
from refdesk.retrieval import Retriever
from refdesk.tools import Tool, Toolbox, ToolCaller, ToolFault, ToolResult, ToolSpec

ASK = "ask_application"
# An answer may take this long; the run goes on and can be read as any other.
ASK_TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True)
class Opened:
    """One request's application, as its caller may use it. `scope` is not bound to the application any more,
    so that its bases can be read through it."""

    scope: Scope
    asker: Scope
    application_id: UUID
    name: str
    description: str
    profile: RunProfile


@dataclass(frozen=True, slots=True)
class Offer:
    """Makes toolboxes of applications."""

    database: Database
    retriever: Retriever
    runs: RunManager

    async def toolbox(self, opened: Opened) -> Toolbox:
        language = "zh" if opened.profile.language == "zh" else "en"
        corpus = Corpus(self.database, self.retriever, opened.profile)
        graph = await graph_tools(corpus, opened.scope, language)
        asking = _ask_tool(opened, self.runs, language)
        return Toolbox([*corpus_tools(corpus, language), *graph, asking])

    async def call(self, opened: Opened, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Never raises but when it is cancelled: what goes wrong is a fault."""
        box = await self.toolbox(opened)
        written = ToolCall("mcp", name, json.dumps(dict(arguments), ensure_ascii=False))
        planned = plan(written, box, box.specs)
        if planned.refusal is not None:
            return ToolResult("", fault=ToolFault("arguments-invalid", planned.refusal))
        caller = ToolCaller(
            opened.scope,
            "zh" if opened.profile.language == "zh" else "en",
            opened.application_id,
            request_id=uuid.uuid4().hex,
        )
        return await box.call(name, planned.arguments, caller)


@dataclass(frozen=True, slots=True)
class AskApplication:
    """Asks the application itself: an ordinary run, saved and cited."""

    opened: Opened
    runs: RunManager

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        submission = RunSubmission(
            question=str(arguments["question"]),
            application_id=self.opened.application_id,
            conversation_id=_uuid(arguments.get("conversation_id")),
        )
        run = await self.runs.submit(self.opened.asker, submission)
        finished: dict[str, Any] | None = None
        async for event in self.runs.follow(self.opened.asker, run.id):
            if event.name == "run.finished":
                finished = event.json()["run"]
        if finished is None or finished["state"] != "finished":
            error: dict[str, Any] = (finished or {}).get("error") or {}
            message = str(error.get("message") or "The answer could not be written.")
            return ToolResult("", fault=ToolFault(str(error.get("code") or "run-failed"), message))
        citations = [
            {key: one[key] for key in ("n", "document", "section", "page", "text", "document_id")}
            for one in finished["citations"]
        ]
        data = {
            "answer": finished["answer"],
            "citations": citations,
            "conversation_id": str(finished["conversation_id"]),
            "run_id": str(finished["id"]),
        }
        return ToolResult(_with_sources(finished["answer"], citations), data)


def _ask_tool(opened: Opened, runs: RunManager, language: str) -> Tool:
    zh = language == "zh"
    about = f"{opened.name}：{opened.description}" if zh else f"{opened.name}: {opened.description}"
    description = (
        f"向应用提问，返回带出处的完整回答。{about}"
        if zh
        else f"Ask the application; gives a cited answer. {about}"
    )
    properties = {
        "question": {
            "type": "string",
            "minLength": 1,
            "description": "要问的完整问题" if zh else "the whole question",
        },
        "conversation_id": {
            "type": "string",
            "description": "继续之前的对话；省略则开始新对话"
            if zh
            else "goes on with an earlier conversation; left out: a new one",
        },
    }
    spec = ToolSpec(
        id=f"builtin:{ASK}",
        name=ASK,
        description=description.strip(" :：。") + ("。" if zh else "."),
        parameters={
            "type": "object",
            "properties": properties,
            "required": ["question"],
            "additionalProperties": False,
        },
        origin="application",
        title=opened.name,
        timeout_s=ASK_TIMEOUT_S,
        max_result_chars=100_000,
    )
    return Tool(spec, AskApplication(opened, runs))


def _with_sources(answer: str, citations: list[dict[str, Any]]) -> str:
    lines = [
        f"[{one['n']}] {one['document']}" + (f" › {one['section']}" if one["section"] else "")
        for one in citations
    ]
    return "\n\n".join([answer, "\n".join(lines)]) if lines else answer


def _uuid(value: Any) -> UUID | None:
    try:
        return UUID(str(value)) if value else None
    except ValueError:
        return None


def opened(scope: Scope, application_id: UUID, name: str, description: str, profile: RunProfile) -> Opened:
    """An application for a caller whose key may be bound to it."""
    return Opened(replace(scope, resource=None), scope, application_id, name, description, profile)

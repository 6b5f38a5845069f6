"""Applications as tools of a run. One that asks itself, through however many others, is stopped.

The chain of applications that are being asked travels in a context variable: a run is a task, and a task
takes the context of whoever started it.
"""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.tools.applications.port import Answer, AnsweringApplication, AnsweringApplications
from refdesk.tools.naming import plain_name
from refdesk.tools.sources import Choice, Opened
from refdesk.tools.spec import Tool, ToolCaller, ToolFault, ToolResult, ToolSpec
from refdesk.tools.toolbox import ToolProblem

PREFIX = "app"
MOST_DEPTH = 3
TIMEOUT_S = 120.0

_asked: ContextVar[tuple[UUID, ...]] = ContextVar("asked_applications", default=())

_PARAMETERS = {
    "type": "object",
    "properties": {
        "question": {
            "type": "string",
            "title": "Question",
            "x-title-zh": "问题",
            "description": "The whole question: the application does not know the conversation.",
            "maxLength": 4000,
        }
    },
    "required": ["question"],
}


class ApplicationSource:
    """One a process."""

    prefix = PREFIX

    def __init__(self, applications: AnsweringApplications) -> None:
        self._applications = applications

    async def open(self, scope: Scope, chosen: Sequence[str]) -> Opened:
        """The tools of ids `app:<application id>`."""
        known = {f"{PREFIX}:{one.id}": one for one in await self._applications.all(scope)}
        tools = [
            Tool(_spec(known[entry]), AskApplication(self._applications, known[entry].id))
            for entry in chosen
            if entry in known
        ]
        problems = [
            ToolProblem(entry, "tool-not-found", "There is no such application.")
            for entry in chosen
            if entry not in known
        ]
        return Opened(tools, problems)

    async def choices(self, scope: Scope) -> Sequence[Choice]:
        """All applications of the workspace."""
        return [Choice(_spec(one)) for one in await self._applications.all(scope)]


@dataclass(frozen=True, slots=True)
class AskApplication:
    """Asks one application, with the rights of whoever the run is for."""

    applications: AnsweringApplications
    application_id: UUID

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        chain = _asked.get() or ((caller.application_id,) if caller.application_id else ())
        if self.application_id in chain:
            return _refused("application-asks-itself", "The application is being asked already.")
        if len(chain) > MOST_DEPTH:
            return _refused(
                "applications-too-deep", f"Applications ask one another at most {MOST_DEPTH} deep."
            )
        token = _asked.set((*chain, self.application_id))
        try:
            answer = await self.applications.ask(
                caller.scope, self.application_id, str(arguments["question"])
            )
        finally:
            _asked.reset(token)
        return _result(answer, caller.language)


def _spec(application: AnsweringApplication) -> ToolSpec:
    about = f": {application.description.strip()}" if application.description.strip() else ""
    return ToolSpec(
        id=f"{PREFIX}:{application.id}",
        name=plain_name(f"ask_{application.name}"),
        description=f"Asks “{application.name}”, which answers from its own sources{about}"[:1_000],
        parameters=_PARAMETERS,
        origin="application",
        title=application.name,
        read_only=True,
        timeout_s=TIMEOUT_S,
    )


def _result(answer: Answer, language: str) -> ToolResult:
    sources = [
        {"n": one.n, "document": one.document, "section": one.section, "page": one.page}
        for one in answer.sources
    ]
    data = {"answer": answer.text, "sources": sources, "asks_back": answer.asks_back}
    lines = [answer.text]
    if answer.sources:
        lines.append("来源：" if language == "zh" else "Sources:")
        lines += [_line(one.n, one.document, one.section, one.page, language) for one in answer.sources]
    return ToolResult("\n".join(lines), data, details={"run_id": str(answer.run_id)})


def _line(n: int, document: str, section: str | None, page: int | None, language: str) -> str:
    where = [part for part in (section, _page(page, language)) if part]
    return f"[{n}] {document}{' · ' if where else ''}{' · '.join(where)}"


def _page(page: int | None, language: str) -> str | None:
    if page is None:
        return None
    return f"第 {page} 页" if language == "zh" else f"page {page}"


def _refused(code: str, message: str) -> ToolResult:
    return ToolResult("", fault=ToolFault(code, message))

"""Stand-ins of the run manager's surroundings."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.apps import StoredProfiles
from refdesk.chat import RunEvent, RunManager, RunOut, RunSubmission
from refdesk.gateway import (
    Completer,
    Completion,
    CompletionEvent,
    CompletionRequest,
    Embedder,
    Finished,
    TextDelta,
    UsageReport,
)
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.retrieval import Retriever
from refdesk.tools import Tool, Toolbox, ToolCaller, ToolProblem, ToolResult, ToolSpec

type Step = str | float | Exception | asyncio.Event | CompletionEvent


class FakeCompleter:
    """Plays `steps`: text, a pause (seconds), an event to wait for, an error to raise, a gateway event.

    A script without an error or `Finished` is finished properly, unless `ends` is false. `closed` tells that
    the stream was closed, as a real one would close its socket.
    """

    def __init__(
        self,
        *steps: Step,
        completion: str | Exception | Callable[[CompletionRequest], Completion | str] = "",
        context_tokens: int = 8_000,
        ends: bool = True,
    ) -> None:
        self.model_id = new_id()
        self.model_name = "fake"
        self.context_tokens = context_tokens
        self.steps = steps
        self.ends = ends
        self.completion = completion
        self.requests: list[CompletionRequest] = []
        self.completions: list[CompletionRequest] = []
        self.started = asyncio.Event()
        self.closed = asyncio.Event()

    async def stream(self, request: CompletionRequest) -> AsyncGenerator[CompletionEvent]:
        self.requests.append(request)
        self.started.set()
        try:
            for step in self.steps:
                match step:
                    case str():
                        yield TextDelta(step)
                    case int() | float():
                        await asyncio.sleep(step)
                    case asyncio.Event():
                        await step.wait()
                    case Exception():
                        raise step
                    case _:
                        yield step
            if self.ends and not any(isinstance(step, Finished) for step in self.steps):
                yield UsageReport(120, 30)
                yield Finished("stop")
        finally:
            self.closed.set()

    async def complete(self, request: CompletionRequest) -> Completion:
        self.completions.append(request)
        if isinstance(self.completion, Exception):
            raise self.completion
        made = self.completion(request) if callable(self.completion) else self.completion
        return made if isinstance(made, Completion) else Completion(made, "stop", usage=UsageReport(20, 8))


class FakeTools:
    """Tools of a workspace, by what an application may choose; `calls` are those that were made."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}
        self.calls: list[tuple[str, dict[str, Any], ToolCaller]] = []

    def add(
        self,
        name: str,
        answer: Callable[[Mapping[str, Any]], Awaitable[ToolResult | str]],
        *,
        parameters: Mapping[str, Any] | None = None,
        required: Sequence[str] = (),
        title: str = "",
        **more: Any,
    ) -> None:
        """Offer a tool that answers as told."""
        schema = {"type": "object", "properties": dict(parameters or {}), "required": list(required)}
        spec = ToolSpec(f"tool:{name}", name, f"{title or name}.", schema, "builtin", title=title, **more)
        source = self

        class Answering:
            async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
                source.calls.append((name, dict(arguments), caller))
                made = await answer(arguments)
                return made if isinstance(made, ToolResult) else ToolResult(made)

        self.tools[spec.id] = Tool(spec, Answering())

    async def toolbox(self, scope: Scope, chosen: Sequence[str]) -> Toolbox:
        missing = [ToolProblem(name, "tool-not-found", "gone") for name in chosen if name not in self.tools]
        return Toolbox([self.tools[name] for name in chosen if name in self.tools], missing)


class FakeGateway:
    """A gateway that knows one embedder and at most one chat model."""

    def __init__(self, embedder: Embedder, completer: Completer | None = None) -> None:
        self._embedder = embedder
        self.llm = completer

    async def default_model(self, scope: Scope, kind: str, *purposes: str | None) -> UUID | None:
        return self.llm.model_id if self.llm is not None else None

    async def completer(self, scope: Scope, model_id: UUID, purpose: object = None) -> Completer:
        assert self.llm is not None
        return self.llm

    async def embedder(self, scope: Scope, model_id: UUID, purpose: object = None) -> Embedder:
        return self._embedder


@dataclass
class Desk:
    """Run managers over one database: the first one, and others that stand for other processes."""

    database: Database
    gateway: FakeGateway
    retriever: Retriever
    settings: Settings
    base_id: UUID
    tools: FakeTools = field(default_factory=FakeTools)
    runs: RunManager = field(init=False)
    _stack: AsyncExitStack = field(init=False)

    async def open(self, stack: AsyncExitStack) -> None:
        self._stack = stack
        self.runs = await self.another()

    async def another(self, **settings: Any) -> RunManager:
        """Another process's run manager, stopped with the test."""
        chosen = self.settings.model_copy(update=settings)
        gateway: Any = self.gateway
        made = RunManager(self.database, gateway, self.retriever, chosen, StoredProfiles(), self.tools)
        await made.start()
        self._stack.push_async_callback(made.stop)
        return made

    def connect(self, completer: FakeCompleter) -> FakeCompleter:
        self.gateway.llm = completer
        return completer

    async def ask(self, scope: Scope, question: str | None, **more: Any) -> RunOut:
        """Submit; the base is asked unless a conversation or application is named."""
        if not more.keys() & {"conversation_id", "application_id", "retry_of", "knowledge_base_ids"}:
            more["knowledge_base_ids"] = (self.base_id,)
        return await self.runs.submit(scope, RunSubmission(question=question, **more))

    async def events(self, scope: Scope, run: RunOut, after: int = 0) -> list[RunEvent]:
        """All events of a run until its end."""
        async with asyncio.timeout(20):
            return [event async for event in self.runs.follow(scope, run.id, after)]

    async def answer(self, scope: Scope, question: str | None, **more: Any) -> dict[str, Any]:
        """The finished run of a question, as `run.finished` tells it."""
        events = await self.events(scope, await self.ask(scope, question, **more))
        finished: dict[str, Any] = events[-1].json()["run"]
        return finished


def names(events: Sequence[RunEvent]) -> list[str]:
    return [event.name for event in events]


def text_of(events: Sequence[RunEvent]) -> str:
    return "".join(event.json()["text"] for event in events if event.name == "delta")


async def eventually(condition: Callable[[], Any], timeout_s: float = 10) -> None:
    """Wait until a condition of this process holds."""
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 — the conditions are plain values
            await asyncio.sleep(0.01)

"""CPU that the agent's loop costs a step, beside pydantic-ai's own agent in the same run.

    python -m venv /tmp/peer && /tmp/peer/bin/pip install pydantic-ai-slim
    python -m benchmarks.agent_overhead --peer /tmp/peer/bin/python

Both have a model scripted in the process (no HTTP) that calls one tool a round, then answers. Ours streams,
records every step, writes events and resolves citations; that is part of what is measured.
"""

import argparse
import asyncio
import json
import subprocess
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.chat.agent.calling import CallDesk
from refdesk.chat.agent.loop import AgentLoop, Limits
from refdesk.chat.agent.sources import SourceBook
from refdesk.chat.agent.writing import AnswerWriter
from refdesk.chat.journal import RunJournal
from refdesk.chat.recorder import RunRecorder
from refdesk.gateway import (
    Completion,
    CompletionEvent,
    CompletionRequest,
    Finished,
    TextDelta,
    ToolCall,
    ToolCallReady,
    UsageReport,
)
from refdesk.kit.ids import new_id
from refdesk.tools import Tool, Toolbox, ToolCaller, ToolResult, ToolSpec

PEER = Path(__file__).with_name("agent_overhead_peer.py")
RESULT = json.dumps({"results": [{"doc_name": "manual.md", "snippet": "limit 100", "score": 0.9}]})
SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}


class Scripted:
    """Calls a tool in each of its first rounds, then answers."""

    model_id = UUID(int=1)
    model_name = "scripted"
    context_tokens = 100_000

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds

    async def stream(self, request: CompletionRequest) -> AsyncIterator[CompletionEvent]:
        done = sum(message.role == "assistant" for message in request.messages)
        done += request.messages[1].text.count("An earlier round")
        if done < self._rounds:
            yield ToolCallReady(ToolCall(f"c{done}", "search_documents", json.dumps({"query": f"q{done}"})))
        else:
            for part in ("The limit ", "is 100."):
                yield TextDelta(part)
        yield UsageReport(50, 5)
        yield Finished("stop" if done >= self._rounds else "tool_calls")

    async def complete(self, request: CompletionRequest) -> Completion:
        raise NotImplementedError


class Search:
    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        return ToolResult(RESULT)


async def once(rounds: int) -> None:
    recorder, book = RunRecorder(RunJournal(new_id())), SourceBook()
    spec = ToolSpec("builtin:search_documents", "search_documents", "search", SCHEMA, "builtin")
    loop = AgentLoop(
        completer=Scripted(rounds),
        desk=CallDesk(Toolbox([Tool(spec, Search())]), ToolCaller(Scope.system(UUID(int=1))), recorder, "en"),
        recorder=recorder,
        writer=AnswerWriter(recorder, book, "en"),
        language="en",
        system="Rules.",
        question="What is the limit?",
        limits=Limits(retrieval_rounds=rounds),
    )
    await loop.run()


async def measure(rounds: int, runs: int) -> float:
    for _ in range(5):
        await once(rounds)
    began = time.process_time()
    for _ in range(runs):
        await once(rounds)
    return (time.process_time() - began) / runs / (rounds + 1) * 1e6


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--peer", help="interpreter of an environment with pydantic-ai-slim")
    arguments.add_argument("--runs", type=int, default=200)
    given = arguments.parse_args()
    for rounds in (1, 3):
        ours = asyncio.run(measure(rounds, given.runs))
        line = f"{rounds} rounds: ours {ours:.0f} us CPU a step"
        if given.peer:
            command = [given.peer, str(PEER), str(rounds), str(given.runs)]
            peer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            line += f"; pydantic-ai {peer['whole_us']} (whole), {peer['streamed_us']} (streamed)"
            line += f"; {ours / min(peer.values()):.2f} times"
        print(line)


if __name__ == "__main__":
    main()

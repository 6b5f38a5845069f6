"""The peer of `agent_overhead`: pydantic-ai's own agent with a scripted model; prints microseconds a step.

Runs in an environment of its own, which has pydantic-ai-slim and nothing of this project.
"""

import asyncio
import json
import sys
import time

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel


async def measure(rounds: int, runs: int, *, streamed: bool) -> float:
    def answer(messages: list, info: AgentInfo) -> ModelResponse:
        done = sum(isinstance(message, ModelResponse) for message in messages)
        if done < rounds:
            return ModelResponse(parts=[ToolCallPart("search_documents", {"query": f"q{done}"})])
        return ModelResponse(parts=[TextPart("The limit is 100.")])

    async def stream(messages: list, info: AgentInfo):
        done = sum(isinstance(message, ModelResponse) for message in messages)
        if done < rounds:
            yield {
                0: DeltaToolCall(
                    "search_documents", json.dumps({"query": f"q{done}"}), tool_call_id=f"c{done}"
                )
            }
        else:
            for part in ("The limit ", "is 100."):
                yield part

    agent = Agent(FunctionModel(answer, stream_function=stream), system_prompt="Rules.")

    @agent.tool_plain
    async def search_documents(query: str) -> str:
        return json.dumps({"results": [{"doc_name": "manual.md", "snippet": "limit 100", "score": 0.9}]})

    async def once() -> None:
        if streamed:
            async with agent.run_stream("What is the limit?") as result:
                async for _ in result.stream_text(delta=True):
                    pass
        else:
            await agent.run("What is the limit?")

    for _ in range(5):
        await once()
    began = time.process_time()
    for _ in range(runs):
        await once()
    return (time.process_time() - began) / runs / (rounds + 1) * 1e6


async def main() -> None:
    rounds, runs = int(sys.argv[1]), int(sys.argv[2])
    whole = await measure(rounds, runs, streamed=False)
    streamed = await measure(rounds, runs, streamed=True)
    print(json.dumps({"whole_us": round(whole), "streamed_us": round(streamed)}))


asyncio.run(main())

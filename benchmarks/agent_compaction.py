"""What compaction of tool traffic saves on a conversation of twelve turns, by the rounds kept whole.

python benchmarks/agent_compaction.py
"""

import asyncio

from refdesk.testing.agent_conversation import CONVERSATION, converse


async def main() -> None:
    whole = await converse(None)
    print(f"{len(CONVERSATION)} turns, {whole.requests} requests, {len(whole.searches)} searches")
    print(f"all rounds whole: {whole.prompt_tokens} prompt tokens")
    for kept in (3, 2, 1):
        told = await converse(kept)
        same = told.answers == whole.answers and told.cited == whole.cited
        repeated = len(told.searches) - len(set(told.searches))
        saved = 1 - told.prompt_tokens / whole.prompt_tokens
        print(
            f"{kept} kept: {told.prompt_tokens} prompt tokens, {saved:.1%} fewer,"
            f" same answers and citations: {same}, repeated searches: {repeated}"
        )


if __name__ == "__main__":
    asyncio.run(main())

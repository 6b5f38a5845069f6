"""Older tool traffic as one line: what it saves, and that nothing an answer rests on is lost."""

from refdesk.chat.agent.compaction import messages_of
from refdesk.chat.agent.transcript import Called, PastTurn, Round
from refdesk.testing.agent_conversation import converse


async def test_compaction_saves_two_fifths_of_the_prompts_with_the_same_answers_and_citations() -> None:
    whole, compact = await converse(None), await converse(2)
    assert compact.answers == whole.answers
    assert compact.cited == whole.cited
    assert all(compact.cited)
    assert compact.searches == whole.searches
    assert len(set(compact.searches)) == len(compact.searches)
    assert compact.prompt_tokens <= 0.6 * whole.prompt_tokens


def _round(n: int) -> Round:
    return Round((Called(f"c{n}", "search_documents", f'{{"query": "q{n}"}}', f"r{n}", f"q{n}", f"d{n}"),))


def test_the_last_two_rounds_stay_whole_and_paired_whatever_turn_they_belong_to() -> None:
    turns = [PastTurn("one", "first", (_round(1), _round(2))), PastTurn("two", "second")]
    messages = messages_of(
        "rules", turns, "three", [_round(3)], "en", searches=frozenset({"search_documents"})
    )
    assert [message.role for message in messages] == [
        "system", "user", "assistant", "tool", "assistant", "user", "assistant", "user", "assistant", "tool",
    ]  # fmt: skip
    assert "An earlier round searched for q1; it found d1" in messages[1].text
    assert [message.text for message in messages if message.role == "tool"] == ["r2", "r3"]
    for call, result in ((messages[2], messages[3]), (messages[8], messages[9])):
        assert call.tool_calls[0].id == result.tool_call_id

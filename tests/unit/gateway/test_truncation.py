"""Cutting a conversation to a smaller context: whole messages, whole paragraphs, nothing in between."""

from hypothesis import given
from hypothesis import strategies as st

from refdesk.gateway import CompletionRequest, Message, ToolCall
from refdesk.gateway.routing.truncation import fit
from refdesk.gateway.tokens import estimated_tokens, least_tokens, tokens_of_all

WORDS = st.text("abc 保修期多长", min_size=1, max_size=200).filter(str.strip)
PARAGRAPHS = st.lists(WORDS.map(lambda text: " ".join(text.split())), min_size=1, max_size=6).map("\n\n".join)
TURNS = st.lists(st.tuples(st.sampled_from(("user", "assistant", "system")), PARAGRAPHS), max_size=6)


@given(TURNS, PARAGRAPHS, st.integers(300, 3000))
def test_what_is_kept_is_whole_and_fits(turns, question, context):
    messages = [*(Message(role, text) for role, text in turns), Message("user", question)]
    fitted = fit(CompletionRequest(messages), context)
    if fitted is None:
        return
    assert tokens_of_all(fitted.request.messages) <= context
    originals = iter(messages)
    for kept in fitted.request.messages:
        original = next(m for m in originals if m.role == kept.role and _is_part(kept.text, m.text))
        assert original.role == kept.role
    assert fitted.request.messages[-1].role == "user"
    assert [m.role for m in fitted.request.messages].count("system") == [m.role for m in messages].count(
        "system"
    )
    assert (fitted.truncated_to is None) == (list(fitted.request.messages) == messages)


def _is_part(kept: str, whole: str) -> bool:
    parts = iter(whole.split("\n\n"))
    return all(part in parts for part in kept.split("\n\n"))


def test_a_result_goes_with_its_call():
    call = ToolCall("1", "search", "{}")
    messages = [
        Message("user", "first"),
        Message("assistant", "", (call,)),
        Message("tool", "x" * 3000, tool_call_id="1"),
        Message("user", "second"),
    ]
    fitted = fit(CompletionRequest(messages), 600)
    assert fitted is not None
    assert [message.role for message in fitted.request.messages] == ["user"]


def test_one_paragraph_that_is_too_long_is_not_cut():
    assert fit(CompletionRequest([Message("user", "字" * 5000)]), 1000) is None


def test_the_answer_gets_no_more_than_half():
    request = CompletionRequest([Message("user", "a\n\n" * 2000 + "question")], max_tokens=8000)
    fitted = fit(request, 1000)
    assert fitted is not None
    assert fitted.request.max_tokens == 500


@given(st.text(max_size=300))
def test_the_least_is_no_more_than_the_estimate(text):
    assert 0 <= least_tokens(text) <= estimated_tokens(text)

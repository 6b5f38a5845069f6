"""OpenAI's messages as a run's submission, and settings as they are accepted."""

from typing import Any

import pytest
from pydantic import ValidationError

from refdesk.apps.errors import MessagesInvalid, PromptIncomplete
from refdesk.apps.openai_models import Target
from refdesk.apps.openai_runs import submission_of
from refdesk.apps.openai_schemas import ChatCompletionRequest
from refdesk.apps.schemas import ApplicationPrompts, ApplicationSettings
from refdesk.apps.service import check_prompts
from refdesk.chat import Turn
from refdesk.kit.ids import new_id


def request(*messages: dict[str, Any], **more: Any) -> ChatCompletionRequest:
    return ChatCompletionRequest.model_validate({"model": "m", "messages": messages, **more})


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def test_the_last_user_message_is_the_question_and_the_rest_is_history() -> None:
    given = request(
        {"role": "system", "content": "S"},
        user("q1"),
        assistant("a1"),
        {"role": "tool", "content": "ignored"},
        user("unanswered"),
        user("q2"),
        assistant("a2"),
        {"role": "developer", "content": "D"},
        user("q3"),
    )
    submission = submission_of(given, Target(knowledge_base_id=new_id()))
    assert submission.question == "q3"
    assert submission.history == (Turn("q1", "a1"), Turn("q2", "a2"))
    assert submission.system_prompt == "S\n\nD"


def test_parts_that_are_not_text_are_left_out() -> None:
    parts = [
        {"type": "text", "text": "what"},
        {"type": "image_url", "image_url": {"url": "data:"}},
        {"type": "text", "text": "now"},
    ]
    assert submission_of(request(user(parts)), Target()).question == "what\nnow"


@pytest.mark.parametrize(
    "messages", [[assistant("x")], [user(" ")], [user(None)], [user("q"), assistant("a")]]
)
def test_messages_without_a_question_are_refused(messages: list[dict[str, Any]]) -> None:
    with pytest.raises(MessagesInvalid):
        submission_of(request(*messages), Target())


def test_the_newer_name_of_the_length_limit_wins() -> None:
    given = request(user("q"), max_tokens=5, max_completion_tokens=7, temperature=0.0)
    assert submission_of(given, Target()).overrides == {"temperature": 0.0, "max_tokens": 7}


def test_unknown_request_fields_are_ignored() -> None:
    assert request(user("q"), n=1, tools=[], user="x").model == "m"


def test_settings_have_bounds() -> None:
    for bad in (
        {"top_n": 0},
        {"top_n": 51},
        {"similarity": 2},
        {"temperature": 3},
        {"suggested_questions": [" "]},
    ):
        with pytest.raises(ValidationError):
            ApplicationSettings.model_validate(bad)
    assert ApplicationSettings().top_n == 5


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("{data}", ["{question}"]),
        ("{question}", ["{data}"]),
        ("{ data } {question }", ["{data}", "{question}"]),
    ],
)
def test_a_prompt_without_its_placeholders_is_refused(answer: str, missing: list[str]) -> None:
    with pytest.raises(PromptIncomplete) as raised:
        check_prompts(ApplicationPrompts(answer=answer))
    assert raised.value.details == {"template": "answer", "missing": missing}


@pytest.mark.parametrize("answer", ["", "{data}{question}", "{question} {data} {data}"])
def test_an_empty_or_complete_prompt_is_accepted(answer: str) -> None:
    check_prompts(ApplicationPrompts(answer=answer))

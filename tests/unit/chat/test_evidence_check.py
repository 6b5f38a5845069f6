"""The evidence check on the labelled sentences, and on cases that must never go wrong."""

import pytest
from tests.unit.chat.evidence_cases import CASES

from refdesk.chat.evidence import Evidence, Source


def marking(split: str) -> tuple[float, float, float]:
    """(precision, recall, F1) of marking unsupported sentences in one half."""
    marked_right = marked_wrong = missed = 0
    for case in CASES:
        if case.split != split:
            continue
        evidence = Evidence([Source(text, heading) for heading, text in case.sources])
        marked = not evidence.check(case.sentence).supported
        marked_right += marked and not case.supported
        marked_wrong += marked and case.supported
        missed += not marked and not case.supported
    precision = marked_right / (marked_right + marked_wrong)
    recall = marked_right / (marked_right + missed)
    return precision, recall, 2 * precision * recall / (precision + recall)


def test_the_labelled_set_is_large_and_mixed() -> None:
    assert len(CASES) >= 100
    for split in ("dev", "held-out"):
        for language in ("zh", "en"):
            cases = [case for case in CASES if (case.split, case.language) == (split, language)]
            assert sum(case.supported for case in cases) >= 10
            assert sum(not case.supported for case in cases) >= 10
    assert len({case.kind for case in CASES}) >= 10


@pytest.mark.parametrize("split", ["dev", "held-out"])
def test_unsupported_sentences_are_marked_with_f1_of_at_least_0_8(split: str) -> None:
    assert marking(split)[2] >= 0.8


SOURCE = Source("The pump delivers 40 litres per minute at 3 bar. It must not run dry.", "Pump P-200")


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The pump delivers 40 litres per minute at 3 bar.", "verbatim"),
        ("The pump delivers 45 litres per minute.", "number-not-in-evidence"),
        ("The P-300 delivers 40 litres per minute.", "code-not-in-evidence"),
        ("The pump may run dry.", "negation-differs"),
        ("Grundfos sells the pump in twelve countries.", "number-not-in-evidence"),
        ("The pump was designed by Grundfos.", "name-not-in-evidence"),
        ("Maintenance includes lubricating bearings and replacing filters yearly.", "not-in-evidence"),
        ("Let me know if you need more.", "no-claim"),
        ("Nothing relevant was found in the knowledge base.", "no-claim"),
        ("本地知识库中未找到相关内容。", "no-claim"),
    ],
)
def test_reasons(sentence: str, reason: str) -> None:
    assert Evidence([SOURCE]).check(sentence).reason == reason


def test_a_code_block_is_supported_line_by_line() -> None:
    evidence = Evidence([Source("Run:\n```\nctl start --all\nctl status\n```")])
    assert evidence.check_code("```sh\nctl start --all\n```").supported
    assert not evidence.check_code("```sh\nctl start --all\nctl wipe\n```").supported


def test_another_language_is_judged_by_likeness_and_figures() -> None:
    evidence = Evidence([SOURCE])
    assert evidence.is_foreign("该泵在 3 bar 下每分钟输送 40 升。")
    assert evidence.check("该泵在 3 bar 下每分钟输送 40 升。", 0.7).supported
    assert not evidence.check("该泵可以远程控制。", 0.2).supported
    assert not evidence.check("该泵每分钟输送 99 升。", 0.9).supported


def test_without_evidence_claims_are_unsupported() -> None:
    assert not Evidence([]).check("The pump delivers water.").supported


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (SOURCE.text, "The documents do not mention it, but the maximum is 5000 litres at 99 bar."),
        (SOURCE.text, "The documents do not mention it, the pump is waterproof."),
        (SOURCE.text, "Of course the pump is waterproof and silent under water."),
        (SOURCE.text, "In summary, the pump is certified for drinking water."),
        (SOURCE.text, "Feel free to run the pump dry for a week."),
        (SOURCE.text, "Did you know it delivers 5000 litres?"),
        ("The warranty includes water damage.", "The warranty does not include water damage."),
        ("标准版最多支持 100 个连接。", "资料未提及价格，但最多支持 5000 个连接。"),
        ("标准版包含备份功能。", "标准版没有包含备份功能。"),
        ("标准版包含备份功能。", "总之，用户可以随时退款并获得双倍赔偿。"),
        ("标准版包含备份功能。", "欢迎随时退款并获得双倍赔偿。"),
        ("标准版包含备份功能。", "资料没有说明价格，用户可以随时退款。"),
    ],
)
def test_a_claim_beside_talk_is_judged(source: str, sentence: str) -> None:
    assert not Evidence([Source(source)]).check(sentence).supported


@pytest.mark.parametrize(
    "sentence",
    [
        "The documents do not mention the price.",
        "I could not find anything about the colour in the knowledge base.",
        "The colour is not mentioned in the provided documents.",
        "Sorry, the sources don't say who designed it.",
        "资料未提及价格，也没有说明保修期。",
        "关于价格，资料中没有说明。",
        "很抱歉，知识库中没有找到相关内容。",
        "如有其他问题，欢迎随时提问！",
    ],
)
def test_what_only_says_that_nothing_is_there_is_no_claim(sentence: str) -> None:
    assert Evidence([SOURCE]).check(sentence).reason == "no-claim"

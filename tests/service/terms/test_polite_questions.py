"""Chinese questions with polite words find what their bare terms find."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.service.terms.conftest import TermDesk

TEXTS = [
    "报销差旅费需要在出差结束后三十天内提交发票和行程单。",
    "年假按照工龄计算，满一年不满十年的年假五天。",
    "设备启动失败时面板显示ERR-1042，请检查电源。",
    "升级到v2.3.1之后出现CrashLoopBackOff，需要清理缓存。",
    "公司食堂每天中午十二点开门，办卡的同事去前台登记。",
    "忘记密码的同事可以在登录页面点击重置密码，链接十分钟有效。",
    "打印机卡纸时先关闭电源，再打开后盖取出纸张。",
    "会议室预订请在系统里提前一天提交申请。",
    "新员工入职当天领取工牌和电脑，并签署保密协议。",
    "服务器机房的温度应当保持在二十二度左右。",
    "客户投诉在二十四小时内必须回复，并记录处理结果。",
    "合同到期前六十天由法务部通知续签。",
]
BARE = [
    "报销差旅费 发票",
    "年假 天数",
    "ERR-1042",
    "v2.3.1 清理缓存",
    "食堂 开门",
    "重置密码",
    "打印机卡纸",
    "会议室预订",
    "入职 工牌",
    "机房温度",
    "客户投诉 回复",
    "合同续签",
]
POLITE_BEFORE = [
    "请问",
    "您好，请问",
    "麻烦问一下",
    "你好",
    "麻烦您告诉我",
    "想请教一下，",
    "劳驾，请问一下",
    "",
]
POLITE_AFTER = ["，谢谢", "？谢谢您！", "，麻烦了", "，辛苦了", "，感谢", "怎么办呢", "，谢谢啦~", ""]


@pytest.fixture
async def polite(shelf: TermDesk) -> TermDesk:
    await shelf.add(*TEXTS)
    return shelf


@pytest.mark.parametrize("mode", ["keywords", "blend"])
async def test_every_polite_form_has_the_same_first_hit(polite: TermDesk, mode: str) -> None:
    wrong: list[tuple[str, str]] = []
    for position, bare in enumerate(BARE):
        first = (await polite.search(bare, mode, apply_gate=False)).hits[0].content
        assert first == TEXTS[position], bare
        for before in POLITE_BEFORE:
            for after in POLITE_AFTER:
                asked = f"{before}{bare}{after}"
                hits = (await polite.search(asked, mode, apply_gate=False)).hits
                if hits[0].content != first:
                    wrong.append((asked, hits[0].content))
    assert not wrong, wrong[:5]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(range(len(BARE))),
    st.lists(
        st.sampled_from(["请问", "麻烦", "谢谢", "您好", "一下", "吗", "呢", "了", "，", "。", " "]),
        max_size=5,
    ),
    st.lists(
        st.sampled_from(["请问", "麻烦", "谢谢", "您好", "一下", "吗", "呢", "了", "，", "。", " "]),
        max_size=5,
    ),
)
async def test_any_mixture_of_polite_words_has_the_same_first_hit(
    polite: TermDesk, position: int, before: list[str], after: list[str]
) -> None:
    asked = f"{''.join(before)} {BARE[position]} {''.join(after)}"
    assert (await polite.search(asked, apply_gate=False)).hits[0].content == TEXTS[position]

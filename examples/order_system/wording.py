"""Orders, returns and parcels in sentences, for people and for models."""

from typing import Any

from shop import Language

_SENTENCES = {
    ("order", "zh"): "订单 {number}（{product}，{price} 元，{ordered_on} 下单）：{state}。",
    ("order", "en"): "Order {number} ({product}, {price} yuan, ordered on {ordered_on}): {state}.",
    (
        "return",
        "zh",
    ): "退货申请 {number}（订单 {order}，{product}，{requested_on} 提交，原因：{reason}）：{state}。",
    ("return", "en"): (
        "Return {number} (order {order}, {product}, requested on {requested_on}, reason: {reason}): {state}."
    ),
}
_NOTHING = {"zh": "没有找到相关的订单或退货申请。", "en": "There are no such orders or returns."}


def sentences(entries: list[dict[str, Any]], language: Language) -> str:
    """One line for each order and return, the returns of an order below it."""
    lines: list[str] = []
    for entry in entries:
        lines.append(_SENTENCES[entry["kind"], language].format_map(entry))
        lines += [_SENTENCES["return", language].format_map(each) for each in entry.get("returns", [])]
    return "\n".join(lines) or _NOTHING[language]


def steps(number: str, found: list[dict[str, Any]], language: Language) -> str:
    """Where a parcel has been, a line for each place."""
    if not found:
        return f"订单 {number} 还没有发货。" if language == "zh" else f"Order {number} has not been sent yet."
    return "\n".join(f"{step['date']} {step['event']}" for step in found)

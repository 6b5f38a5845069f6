"""An order system as an MCP server, to try tools with. It runs offline and keeps everything in memory.

    python examples/order_system/server.py --port 8765     # Streamable HTTP at http://127.0.0.1:8765/mcp
    python examples/order_system/server.py --stdio

Who asks is told by Refdesk in `_meta` (`refdesk/user_id`) and is no argument of a tool: nobody can ask for
somebody else's orders.
"""

import argparse
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field
from shop import Language, NotTheirs, Shop
from wording import sentences, steps

server = MCPServer(
    "order-system",
    version="1.0",
    instructions="Orders, returns and parcels of the customer who asks. 当前用户的订单、退货和物流。",
)
shop = Shop()

Number = Annotated[
    str, Field(description="Number of an order (DD-…) or a return (TH-…). 订单号或退货单号。", max_length=40)
]
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)


def _caller(context: Context[Any, Any]) -> tuple[str, Language]:
    """The customer who asks, and their language."""
    meta: dict[str, Any] = dict(context.request_context.meta or {})
    language: Language = "zh" if meta.get("refdesk/language") == "zh" else "en"
    return shop.customer_of(meta.get("refdesk/user_name") or meta.get("refdesk/user_id")), language


def _refused(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def _unknown(number: str, language: Language) -> CallToolResult:
    if language == "zh":
        return _refused(f"没有找到单号 {number}，请确认后再试。")
    return _refused(f"There is no order or return {number}. Check the number.")


def _result(text: str, data: dict[str, Any]) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data)


@server.tool(
    title="订单查询 / Order query",
    description=(
        "查询用户的订单状态、物流轨迹、退货进度等实时信息。 "
        "Status of the user's orders and returns, by number or the recent ones."
    ),
    annotations=READS,
)
def order_query(
    context: Context[Any, Any],
    number: Number | None = None,
    kind: Annotated[
        Literal["any", "order", "return"],
        Field(description="What to look for without a number: orders, returns or both. 订单、退货或两者。"),
    ] = "any",
    within_days: Annotated[
        int | None,
        Field(description="Only the last so many days; 14 for 'last week'. 最近多少天。", ge=1, le=3650),
    ] = None,
) -> CallToolResult:
    customer, language = _caller(context)
    if number:
        try:
            found = [shop.by_number(customer, number, language)]
        except NotTheirs:
            return _unknown(number, language)
    else:
        found = [] if kind == "order" else shop.returns(customer, within_days, language)
        found += [] if kind == "return" else shop.orders(customer, within_days, language)
    return _result(sentences(found, language), {"count": len(found), "entries": found})


@server.tool(
    title="物流轨迹 / Parcel tracking",
    description="查询一个订单的物流轨迹。 Where the parcel of an order has been.",
    annotations=READS,
)
def parcel_track(context: Context[Any, Any], number: Number) -> CallToolResult:
    customer, language = _caller(context)
    try:
        found = shop.track(customer, number, language)
    except NotTheirs:
        return _unknown(number, language)
    return _result(steps(number, found, language), {"number": number, "steps": found})


@server.tool(
    title="申请退货 / Request a return",
    description="为已送达的订单提交退货申请。 Ask for the return of an order that was delivered.",
    annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False),
)
def return_request(
    context: Context[Any, Any],
    number: Number,
    reason: Annotated[str, Field(description="Why. 退货原因。", min_length=1, max_length=500)],
) -> CallToolResult:
    customer, language = _caller(context)
    try:
        made = shop.request_return(customer, number, reason, language)
        return _result(sentences([made], language), made)
    except NotTheirs:
        return _unknown(number, language)
    except ValueError as error:
        text = (
            f"该订单目前不能退货：{error}。" if language == "zh" else f"It cannot be returned now: {error}."
        )
        return _refused(text)


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description="An order system to try tools with.")
    parser.add_argument("--stdio", action="store_true", help="speak over standard input and output")
    parser.add_argument("--port", type=int, default=8765)
    options = parser.parse_args()
    if options.stdio:
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=options.port)


if __name__ == "__main__":
    main()

"""Furnishes a Refdesk with the shop of the demo, over its HTTP interface as anybody would.

Two bases with the shop's handbook (Chinese, English), the order system as a tool server, and for each
language an application with intents, tools and suggested questions. What is there already is left as it is,
so that a data folder can be used again.
"""

import asyncio
import mimetypes
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

HERE = Path(__file__).parent
API = "/api/v1"
SERVER = "order-system"
TOOLS = ("order_query", "parcel_track", "return_request")
READY_WITHIN_S = 300.0


@dataclass(frozen=True)
class Shop:
    """One language of the shop."""

    base: str
    application: str
    description: str
    opening_words: str
    questions: tuple[str, ...]
    handbook: Path
    intents: Path


SHOPS = {
    "zh": Shop(
        base="商城手册",
        application="商城客服",
        description="回答使用、价格、退换货、保修、发票和配送的问题，并查询订单与退货进度。",
        opening_words="您好！可以问我商品和售后的规定，也可以查您的订单和退货进度。",
        questions=(
            "AirPods Pro 怎么退货，另外我上周提的退货申请到哪一步了",
            "AirPods Pro 怎么退货",
            "我上周提的退货申请到哪一步了",
            "我的快递到哪了",
            "能补开发票吗",
        ),
        handbook=HERE / "handbook" / "zh",
        intents=HERE.parent / "intents" / "shop.zh.yaml",
    ),
    "en": Shop(
        base="Shop manual",
        application="Shop desk",
        description="Answers questions on products and after sales, and looks up orders and returns.",
        opening_words="Ask about products, returns and warranty, or where your order and your return are.",
        questions=(
            "How do I return AirPods Pro, and how far is the return I asked for last week?",
            "How do I return AirPods Pro?",
            "Where is my parcel?",
            "Can I still get an invoice?",
        ),
        handbook=HERE / "handbook" / "en",
        intents=HERE.parent / "intents" / "shop.en.yaml",
    ),
}


@dataclass(frozen=True)
class Connection:
    """A language model to answer with, of any OpenAI-compatible server."""

    base_url: str
    name: str
    api_key: str | None = None


async def furnish(
    client: httpx.AsyncClient, orders_url: str, connection: Connection | None = None
) -> dict[str, Any]:
    """All of it. Returns the applications by language, as the server tells them."""
    if connection is not None:
        await _connect(client, connection)
    server_id = await order_system(client, orders_url)
    made: dict[str, Any] = {}
    for language, shop in SHOPS.items():
        base_id = await handbook(client, shop)
        made[language] = await application(client, language, base_id, server_id)
    return made


async def order_system(client: httpx.AsyncClient, url: str) -> str:
    """The id of the tool server; one of an earlier start gets the new address."""
    known = await _named(client, "tool-servers", SERVER)
    config = {"url": url}
    if known is not None:
        await _ask(client, "PATCH", f"tool-servers/{known['id']}", {"config": config})
        return str(known["id"])
    body = {"name": SERVER, "transport": "http", "config": config}
    return str((await _ask(client, "POST", "tool-servers", body))["id"])


async def handbook(client: httpx.AsyncClient, shop: Shop) -> str:
    """The id of the base with the shop's handbook, read and indexed."""
    known = await _named(client, "knowledge-bases", shop.base)
    if known is not None:
        return str(known["id"])
    base_id = str((await _ask(client, "POST", "knowledge-bases", {"name": shop.base}))["id"])
    files = [
        ("files", (path.name, path.read_bytes(), mimetypes.guess_type(path.name)[0] or "text/markdown"))
        for path in sorted(shop.handbook.iterdir())
    ]
    _checked(await client.post(f"{API}/knowledge-bases/{base_id}/files", files=files))
    async with asyncio.timeout(READY_WITHIN_S):
        while True:
            items = (await _ask(client, "GET", f"knowledge-bases/{base_id}/documents"))["items"]
            failed = [item["name"] for item in items if item["state"] in ("failed", "cancelled")]
            if failed:
                raise RuntimeError(f"could not be read: {', '.join(failed)}")
            if items and all(item["state"] == "ready" for item in items):
                return base_id
            await asyncio.sleep(0.3)


async def application(
    client: httpx.AsyncClient, language: str, base_id: str, server_id: str
) -> dict[str, Any]:
    """The application of a language, with its intents."""
    shop = SHOPS[language]
    known = await _named(client, "applications", shop.application)
    if known is not None:
        return known
    body = {
        "name": shop.application,
        "description": shop.description,
        "knowledge_base_ids": [base_id],
        "settings": {
            "opening_words": shop.opening_words,
            "suggested_questions": list(shop.questions),
            "tools": [f"mcp:{server_id}"],
        },
    }
    made: dict[str, Any] = await _ask(client, "POST", "applications", body)
    intents = {
        "content": shop.intents.read_text("utf-8"),
        "format": "yaml",
        "tools": {name: f"mcp:{server_id}:{name}" for name in TOOLS},
    }
    await _ask(client, "POST", f"applications/{made['id']}/intents/import", intents)
    # The examples are embedded when they are first looked at: not while the first question waits.
    await _ask(client, "POST", f"applications/{made['id']}/intents/try", {"question": shop.questions[0]})
    return made


async def _connect(client: httpx.AsyncClient, connection: Connection) -> None:
    if await _named(client, "models", connection.name) is not None:
        return
    body = {
        "kind": "LLM",
        "name": connection.name,
        "model_name": connection.name,
        "base_url": connection.base_url,
        "is_default": True,
    }
    if connection.api_key:
        body["api_key"] = connection.api_key
    await _ask(client, "POST", "models", body)


async def _named(client: httpx.AsyncClient, things: str, name: str) -> dict[str, Any] | None:
    items = (await _ask(client, "GET", f"{things}"))["items"]
    return next((item for item in items if item["name"] == name), None)


async def _ask(client: httpx.AsyncClient, method: str, path: str, body: Any = None) -> Any:
    response = _checked(await client.request(method, f"{API}/{path}", json=body))
    return response.json() if response.content else None


def _checked(response: httpx.Response) -> httpx.Response:
    if not response.is_success:
        raise RuntimeError(f"{response.request.method} {response.request.url.path}: {response.text}")
    return response

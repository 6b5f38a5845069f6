"""Connections kept open between requests, and servers that close them at the worst moment."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest

from refdesk.kit.http import guarded_client

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@dataclass
class Server:
    """Answers `answers` requests on a connection, then closes it when the next one has come, unread."""

    url: str = ""
    answers: int = 1
    connections: int = 0
    requests: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        for _ in range(self.answers):
            head = await reader.readuntil(b"\r\n\r\n")
            length = next((line for line in head.lower().split(b"\r\n") if b"content-length" in line), b":0")
            await reader.readexactly(int(length.split(b":")[1]))
            self.requests += 1
            writer.write(ANSWER)
        await reader.read(1)
        writer.transport.abort()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    made = Server()
    listening = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    yield made
    listening.close()


async def test_a_request_on_a_connection_that_closes_meanwhile_goes_out_again(server):
    async with guarded_client(allow_private=True) as client:
        for _ in range(4):
            assert (await client.post(server.url, content=b"question")).text == "ok"
    assert (server.requests, server.connections) == (4, 4)


async def test_a_new_connection_that_closes_is_a_failure_at_once(server):
    server.answers = 0
    async with guarded_client(allow_private=True) as client:
        with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
            await client.post(server.url, content=b"question")
    assert server.connections == 1


async def test_a_body_that_can_be_read_only_once_is_not_sent_again(server):
    async def parts():
        yield b"question"

    async with guarded_client(allow_private=True) as client:
        await client.post(server.url, content=b"question")
        with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
            await client.post(server.url, content=parts())


async def test_connections_are_kept_where_the_server_keeps_them(server):
    server.answers = 100
    async with guarded_client(allow_private=True) as client:
        for _ in range(5):
            await client.post(server.url, content=b"question")
    assert (server.requests, server.connections) == (5, 1)

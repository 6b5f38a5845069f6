"""Connections of the HTTP client: waiting, ending, being used again, TLS."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from refdesk.kit.clock import now
from refdesk.kit.http import guarded_client

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"

type Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(handler: Handler, tls: ssl.SSLContext | None = None) -> AsyncGenerator[int]:
    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handler(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(once, "127.0.0.1", 0, ssl=tls)
    async with server:
        yield server.sockets[0].getsockname()[1]


def client(read_s: float) -> httpx.AsyncClient:
    return guarded_client(allow_private=True, timeout=httpx.Timeout(5.0, read=read_s))


async def test_silence_ends_a_read_and_a_slow_stream_does_not() -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"Connection: close\r\n\r\n")
        for _ in range(8):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.1)
        if b"GET /silent" in request:
            await asyncio.sleep(2)

    async with serving(drip) as port, client(0.3) as http:
        # In all it takes longer than one read may.
        assert (await http.get(f"http://127.0.0.1:{port}/")).text == "x" * 8
        begun = asyncio.get_running_loop().time()
        with pytest.raises(httpx.ReadTimeout):
            await http.get(f"http://127.0.0.1:{port}/silent")
        assert 1.0 < asyncio.get_running_loop().time() - begun < 2.5


async def test_a_connection_is_used_again_and_an_ended_one_is_not() -> None:
    connections = 0

    async def two_answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        for _ in range(2):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(HEAD + b"Content-Length: 2\r\n\r\nok")
            await writer.drain()

    async with serving(two_answers) as port, client(2.0) as http:
        for asked in range(1, 5):
            assert (await http.get(f"http://127.0.0.1:{port}/")).text == "ok"
            await asyncio.sleep(0.05)
            assert connections == (asked + 1) // 2


async def test_a_short_wait_after_a_long_one_is_short() -> None:
    async def one_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"Content-Length: 2\r\n\r\nok")
        await reader.read(1)
        await reader.read()

    async with serving(one_answer) as port, client(60.0) as http:
        assert (await http.get(f"http://127.0.0.1:{port}/")).text == "ok"
        with pytest.raises(httpx.ReadTimeout):
            async with asyncio.timeout(5):
                await http.get(f"http://127.0.0.1:{port}/", timeout=httpx.Timeout(5.0, read=0.1))


async def test_a_reader_that_leaves_ends_the_connection() -> None:
    ended = asyncio.Event()

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
        await writer.drain()
        await reader.read()
        ended.set()

    async with serving(endless) as port, client(5.0) as http:
        async with http.stream("GET", f"http://127.0.0.1:{port}/") as response:
            async for part in response.aiter_raw():
                assert part == b"hello"
                break
        async with asyncio.timeout(2):
            await ended.wait()


async def test_what_is_sent_is_what_was_given() -> None:
    """Headers, a body of unknown length, escapes in the address; nothing is added, cookies are not kept."""
    seen: list[bytes] = []

    async def record(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            body = await reader.readuntil(b"0\r\n\r\n") if b"chunked" in head else b""
            seen.append(head + body)
            writer.write(HEAD + b"Set-Cookie: a=b\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()

    async def parts() -> AsyncGenerator[bytes]:
        yield b"one"
        yield b"two"

    async with serving(record) as port, client(5.0) as http:
        await http.post(f"http://me:key@127.0.0.1:{port}/a%2Fb?q=%E4%BD%A0#end", content=parts())
        http.cookies.clear()
        await http.post(f"http://127.0.0.1:{port}/", json={"a": 1}, headers={"X-Own": "1"})
    first, second = seen
    assert first.startswith(b"POST /a%2Fb?q=%E4%BD%A0 HTTP/1.1\r\n")
    assert b"authorization: basic bWU6a2V5\r\n".lower() in first.lower()
    assert b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n" in first
    assert b"cookie" not in second.lower()
    assert second.lower().count(b"content-type:") == 1
    assert b"content-length: 7\r\n" in second.lower()
    for head in (first, second):
        names = [line.split(b":")[0].lower() for line in head.split(b"\r\n\r\n")[0].split(b"\r\n")[1:]]
        assert len(names) == len(set(names))


async def test_long_headers_are_read_and_what_is_not_http_is_said() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        if b"/long" in request:
            writer.write(HEAD + b"X-Policy: " + b"x" * 40_000 + b"\r\nContent-Length: 0\r\n\r\n")
        else:
            writer.write(b"SSH-2.0-OpenSSH\r\n\r\n")
        await writer.drain()

    async with serving(answer) as port, client(5.0) as http:
        long = await http.get(f"http://127.0.0.1:{port}/long")
        assert len(long.headers["x-policy"]) == 40_000
        with pytest.raises(httpx.RemoteProtocolError):
            await http.get(f"http://127.0.0.1:{port}/ssh")


async def test_a_closed_port_and_a_broken_connection_are_told_apart() -> None:
    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"Content-Length: 100\r\n\r\nshort")

    async with serving(cut) as port, client(2.0) as http:
        with pytest.raises(httpx.RemoteProtocolError):
            await http.get(f"http://127.0.0.1:{port}/")
    async with client(2.0) as http:
        with pytest.raises(httpx.ConnectError):
            await http.get(f"http://127.0.0.1:{port}/")


async def test_tls_checks_the_name_and_carries_data(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "models.example")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now() - timedelta(days=1))
        .not_valid_after(now() + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("models.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path / "server.pem"
    pem.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(pem)
    trusting = ssl.create_default_context(
        cadata=certificate.public_bytes(serialization.Encoding.PEM).decode()
    )

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"Content-Length: 2\r\n\r\nok")
        await writer.drain()

    async def here(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    async with serving(answer, server_side) as port:
        for context, host, fits in (
            (trusting, "models.example", True),
            (trusting, "other.example", False),
            (ssl.create_default_context(), "models.example", False),
        ):
            async with guarded_client(allow_private=True, resolver=here, tls=context) as http:
                if fits:
                    assert (await http.get(f"https://{host}:{port}/")).text == "ok"
                else:
                    with pytest.raises(httpx.ConnectError):
                        await http.get(f"https://{host}:{port}/")

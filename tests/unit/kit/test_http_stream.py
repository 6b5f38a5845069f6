"""Connections of the HTTP client: waiting, ending, being used again, TLS."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import httpcore
import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from refdesk.kit.clock import now
from refdesk.kit.http import guarded_client
from refdesk.kit.http_stream import connect

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
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        await reader.read()

    async with serving(silent) as port:
        stream = await connect("127.0.0.1", port, 5.0, None, None)
        assert await stream.read(5, timeout=60.0) == b"hello"
        with pytest.raises(httpcore.ReadTimeout):
            async with asyncio.timeout(5):
                await stream.read(5, timeout=0.1)
        await stream.aclose()


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

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readexactly(5))
        await writer.drain()

    async with serving(echo, server_side) as port:
        plain = await connect("127.0.0.1", port, 5.0, None, None)
        stream = await plain.start_tls(trusting, "models.example", 5.0)
        await stream.write(b"hello", 5.0)
        assert await stream.read(5, 5.0) == b"hello"
        assert stream.get_extra_info("ssl_object") is not None
        await stream.aclose()
        for context, asked in ((trusting, "other.example"), (ssl.create_default_context(), "models.example")):
            other = await connect("127.0.0.1", port, 5.0, None, None)
            with pytest.raises(httpcore.ConnectError):
                await other.start_tls(context, asked, 5.0)

from ipaddress import ip_address, ip_network

import httpx
import pytest

from refdesk.kit.http import (
    AddressRefused,
    ResponseTooLarge,
    guarded_client,
    is_allowed,
    read_beginning,
    read_limited,
)
from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import scripted_model


@pytest.mark.parametrize(
    ("address", "public_only", "with_private"),
    [
        ("93.184.216.34", True, True),
        ("127.0.0.1", False, True),
        ("10.1.2.3", False, True),
        ("192.168.0.1", False, True),
        ("::1", False, True),
        ("fd00::1", False, True),
        ("::ffff:10.0.0.1", False, True),
        ("169.254.169.254", False, False),
        ("::ffff:169.254.169.254", False, False),
        ("fe80::1", False, False),
        ("0.0.0.0", False, False),
        ("224.0.0.1", False, False),
        ("100.64.1.1", False, True),
        ("100.100.100.200", False, False),
        ("192.0.0.192", False, False),
        ("fd00:ec2::254", False, False),
        ("2002:a9fe:a9fe::1", False, False),
        ("64:ff9b::a9fe:a9fe", False, False),
        ("240.0.0.1", False, False),
        ("255.255.255.255", False, False),
        ("192.88.99.1", False, False),
        ("::7f00:1", False, False),
        ("::ffff:0:127.0.0.1", False, False),
        ("64:ff9b:1::a00:1", False, False),
        ("fec0::1", False, True),
        ("ff02::1", False, False),
        ("3fff::1", False, False),
        ("2606:4700::1111", True, True),
    ],
)
def test_addresses_are_judged_by_where_they_lie(address, public_only, with_private):
    assert is_allowed(ip_address(address), allow_private=False) is public_only
    assert is_allowed(ip_address(address), allow_private=True) is with_private


# Both registries of special-purpose addresses: the first and the last of each range.
SPECIAL = (
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
    *("192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32", "192.0.0.10/32", "192.0.0.170/31"),
    *("192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16"),
    *("192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4"),
    *("240.0.0.0/4", "255.255.255.255/32"),
    *("::1/128", "::/128", "::ffff:10.0.0.0/104", "::ffff:192.0.0.8/128", "::ffff:127.0.0.0/104", "::/96"),
    *("64:ff9b::/96", "64:ff9b::7f00:0/104", "64:ff9b::a00:0/104", "64:ff9b:1::/48", "100::/64"),
    *("100:0:0:1::/64", "2001::/23", "2001::/32", "2001:1::1/128", "2001:2::/48", "2001:3::/32"),
    *("2001:4:112::/48", "2001:10::/28", "2001:20::/28", "2001:30::/28", "2001:db8::/32", "2002::/16"),
    *("2002:7f00:1::/48", "2002:a00:1::/48", "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7"),
    *("fe80::/10", "fec0::/10", "ff00::/8"),
)  # fmt: skip


@pytest.mark.parametrize("network", SPECIAL)
def test_no_special_purpose_address_is_reached_unless_private_ones_are_allowed(network):
    found = ip_network(network)
    for address in (found[0], found[-1], found[found.num_addresses // 2]):
        assert not is_allowed(address, allow_private=False)


@pytest.mark.parametrize(
    "address", ["192.0.0.8", "192.0.0.9", "192.0.2.1", "2001:db8::1", "2001:1::1", "2002:a00:1::1"]
)
def test_reserved_addresses_are_refused_even_where_private_ones_are_allowed(address):
    assert not is_allowed(ip_address(address), allow_private=True)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "192.0.1.1", "198.20.0.1", "100.128.0.1", "2001:4860:4860::8888"]
)
def test_neighbours_of_special_ranges_are_public(address):
    assert is_allowed(ip_address(address), allow_private=False)


async def test_a_private_address_is_refused_before_anything_is_sent():
    async with scripted_model() as model, guarded_client(allow_private=False) as client:
        with pytest.raises(AddressRefused):
            await client.get(model.base_url + "/models")
        port = httpx.URL(model.base_url).port
        with pytest.raises(AddressRefused):
            await client.get(f"http://localhost:{port}/v1/models")
        assert model.requests == []


async def test_a_redirect_is_not_followed():
    async with scripted_model() as model, guarded_client(allow_private=True) as client:
        model.then(script.body(b"", status=302, headers={"Location": "http://169.254.169.254/"}))
        assert (await client.get(model.base_url)).status_code == 302


async def test_a_body_over_the_limit_is_cut_off():
    async with scripted_model() as model, guarded_client(allow_private=True) as client:
        model.then(script.body(b"x" * 10_000))
        async with client.stream("GET", model.base_url) as response:
            with pytest.raises(ResponseTooLarge):
                await read_limited(response, 5_000)


async def test_of_a_long_body_the_beginning_is_read_and_the_connection_left():
    async with scripted_model() as model, guarded_client(allow_private=True) as client:
        model.then(script.body(b"beginning" + b"x" * 1_000_000))
        async with client.stream("GET", model.base_url) as response:
            assert await read_beginning(response, 9) == b"beginning"


async def test_a_server_that_hangs_up_is_told_in_words():
    async with scripted_model() as model, guarded_client(allow_private=True) as client:
        model.then(script.cut(script.body(b"{}"), 30))
        with pytest.raises(httpx.RemoteProtocolError, match=r"^The server closed the connection"):
            await client.get(model.base_url)

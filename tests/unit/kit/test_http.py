from ipaddress import ip_address

import httpx
import pytest

from refdesk.kit.http import AddressRefused, ResponseTooLarge, guarded_client, is_allowed, read_limited
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

"""Whether a source's server may be connected to, for clients that make their own connections."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from refdesk.kit.http import AddressRefused, is_allowed, system_resolver
from refdesk.retrieval.external.errors import SourceConfigInvalid, SourceUnreachable


async def judged_address(host: str, port: int, *, allow_private: bool) -> str:
    """An address of the host that may be connected to. Raises `AddressRefused` or `SourceUnreachable`."""
    try:
        found = await system_resolver(host, port)
    except (OSError, UnicodeError) as error:
        raise SourceUnreachable(host=host) from error
    for address in found:
        if is_allowed(ip_address(address), allow_private=allow_private):
            return address
    raise AddressRefused(host=host)


async def judged_url(url: str, *, allow_private: bool) -> tuple[str, int, bool]:
    """Host, port and whether TLS is spoken, of an http(s) address that may be connected to.

    The client resolves the name again: one that then answers differently is not caught here, unlike with
    `kit.http`. Run untrusted sources behind the HTTP kind.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise SourceConfigInvalid(hint="The address must be http:// or https://, without name and password.")
    secure = parts.scheme == "https"
    try:
        port = parts.port or (443 if secure else 80)
    except ValueError as error:
        raise SourceConfigInvalid(hint="The address has no valid port.") from error
    await judged_address(parts.hostname, port, allow_private=allow_private)
    return parts.hostname, port, secure

"""What a host allows robots to do (RFC 9309), and how fast."""

from dataclasses import dataclass, field

from protego import Protego

from refdesk.kit.errors import AppError
from refdesk.kit.http import AddressRefused
from refdesk.knowledge.sources.errors import PageTooLarge, SiteUnreachable
from refdesk.knowledge.sources.fetching import ROBOT_NAME, Fetcher

MAX_ROBOTS_BYTES = 512 * 1024
# A site may ask for more patience than this; then a run would last for days.
MAX_CRAWL_DELAY_S = 60.0


@dataclass(frozen=True)
class Robots:
    """The rules of one host. Without rules everything is allowed."""

    rules: Protego | None = None
    sitemaps: tuple[str, ...] = field(default=())

    def allows(self, address: str) -> bool:
        return self.rules is None or bool(self.rules.can_fetch(address, ROBOT_NAME))

    @property
    def delay_s(self) -> float:
        """Seconds between two requests, at most a minute."""
        if self.rules is None:
            return 0.0
        asked = self.rules.crawl_delay(ROBOT_NAME)
        rate = self.rules.request_rate(ROBOT_NAME)
        slowest = max(float(asked or 0.0), rate.seconds / rate.requests if rate and rate.requests else 0.0)
        return min(max(slowest, 0.0), MAX_CRAWL_DELAY_S)


async def read_robots(fetcher: Fetcher, origin: str) -> Robots:
    """The rules at `origin` (scheme and host).

    No file means no rules; a server that fails to say (5xx, no connection) allows nothing (RFC 9309, 2.3.1):
    raises `SiteUnreachable`. Raises `AddressRefused` where the host itself may not be connected to.
    """
    try:
        answer = await fetcher.fetch(f"{origin}/robots.txt", max_bytes=MAX_ROBOTS_BYTES)
    except PageTooLarge:
        return Robots()
    except AddressRefused:
        raise
    except AppError as error:
        raise SiteUnreachable(
            f"The site's robots.txt could not be read. {error.text} Nothing was changed.",
            hint=error.hint_text,
            cause=error.code,
            reason=error.text,
        ) from None
    if answer.status == 429 or answer.status >= 500:
        raise SiteUnreachable(
            "The site's robots.txt could not be read. Nothing was changed.", status=answer.status
        )
    if answer.status != 200:
        return Robots()
    rules = Protego.parse(answer.body.decode("utf-8-sig", "replace"))
    return Robots(rules, tuple(str(address) for address in rules.sitemaps)[:50])

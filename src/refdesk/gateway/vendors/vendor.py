"""What the catalogue tells of a vendor: one entry, as written in the files of `catalogue/`."""

from functools import cached_property
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field

from refdesk.gateway.kinds import Kind, SpeechFormat
from refdesk.gateway.vendors.signs import Signs, Sort


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Text(_Entry):
    """Words for people, in both languages of the page."""

    en: str
    zh: str


class Offer(_Entry):
    """How a vendor serves one kind of model.

    `wire` names the format that is spoken; `root` replaces the path of the vendor's address for this kind,
    `auth` its way of authentication. `models`, `voices` and `sizes` are examples for the form: what a vendor
    really offers is asked of itself. `formats` are those of a voice where it does not have all, its usual one
    first. `batch_size` is the most texts one request may hold.
    """

    wire: str
    root: str | None = None
    auth: str | None = None
    models: tuple[str, ...] = ()
    voices: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    formats: tuple[SpeechFormat, ...] = ()
    batch_size: int | None = None


class Vendor(_Entry):
    """A vendor or a server of one's own.

    `address` is the base URL of its main region, empty where it is everybody's own; `regions` are its other
    addresses by name. `auth` tells how a key enters a request: `bearer`, `none` (a key is not needed, but
    goes as a bearer's where one is given), `header:NAME`, `query:NAME`, `app-secret` (`APP_ID:TOKEN`, of
    which the header carries the token and the body both), `signed` and `signed-address` (each request by
    the wire), `service-account` (changed for tokens by the wire). `key_format` tells how a key of several
    parts is written. `models_path` is where the list of models lies, from the server's root, if not at
    `/models` below the address. `errors` are the vendor's codes and phrases for what can be told apart.
    """

    id: str
    group: Literal["international", "china", "local"]
    name: Text
    address: str
    regions: dict[str, str] = Field(default_factory=dict[str, str])
    auth: str
    key_format: str | None = None
    headers: dict[str, str] = Field(default_factory=dict[str, str])
    lists_models: bool = False
    models_path: str | None = None
    note: Text | None = None
    docs: str
    kinds: dict[Kind, Offer]
    errors: dict[Sort, tuple[str, ...]] = Field(default_factory=dict[Sort, tuple[str, ...]])

    @property
    def needs_key(self) -> bool:
        return self.auth != "none"

    @cached_property
    def signs(self) -> Signs:
        """How this vendor's refusals are told apart."""
        return Signs.of(self.errors)

    def offer(self, kind: str) -> Offer | None:
        """How this vendor serves a kind; None where it does not."""
        return next((offer for name, offer in self.kinds.items() if name == kind), None)

    def auth_for(self, kind: str | None) -> str:
        """How a key enters the requests for a kind."""
        offer = self.offer(kind) if kind else None
        return (offer and offer.auth) or self.auth

    def url_for(self, kind: str, base_url: str) -> str:
        """Where requests for a kind go when the model's address is `base_url`.

        A kind with a root of its own lies on the same server as the address, wherever that is; an address
        with another path than the vendor's is taken as it is, for whoever wrote it knows better.
        """
        offer = self.offer(kind)
        if offer is None or offer.root is None:
            return base_url
        return _with_path(base_url, offer.root, unless_not=urlsplit(self.address).path)

    def models_url(self, base_url: str) -> str:
        """Where the list of models lies."""
        if self.models_path is None:
            return base_url.rstrip("/") + "/models"
        return _with_path(base_url, self.models_path, unless_not=None)


def _with_path(url: str, path: str, *, unless_not: str | None) -> str:
    parts = urlsplit(url)
    if unless_not is not None and parts.path.rstrip("/") != unless_not.rstrip("/"):
        return url
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))

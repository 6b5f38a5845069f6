"""What can go wrong with sources: with fetching a page, with a whole run, and with a folder's manifest."""

from refdesk.kit.errors import AppError, Conflict, Invalid


class SourceError(AppError):
    """Root of what a page or a run of a source can fail with."""

    code = "source-error"
    status = 422
    message = "The source could not be read."
    hint = "Sync again; the worker's log has the details."


class AddressInvalid(Invalid):
    """A start address that is none, or not of the web."""

    code = "address-invalid"
    message = "The address is not a web address."
    hint = "Give a whole address that begins with https:// or http://, without a user name."


class SelectorInvalid(Invalid):
    """A CSS selector that cannot be read."""

    code = "selector-invalid"
    message = "The CSS selector cannot be read."
    hint = "Write it as in a style sheet, such as `main article` or `#content`."


class PageUnreachable(SourceError):
    """No connection to the page's server, or it broke off."""

    code = "page-unreachable"
    status = 502
    message = "The server of the page could not be reached."
    hint = "Check the address in a browser. A later sync tries it again; its document stays meanwhile."


class PageTimeout(SourceError):
    """The page took longer than a page may take; endless and very slow answers end here too."""

    code = "page-timeout"
    status = 504
    message = "The page took too long."
    hint = "REFDESK_CRAWL_PAGE_TIMEOUT_S is the limit."


class PageTooLarge(SourceError):
    """The page, or what it unpacks to, is larger than a page may be."""

    code = "page-too-large"
    message = "The page is larger than the limit allows."
    hint = "REFDESK_MAX_UPLOAD_BYTES and the limit of the knowledge base hold for pages too."


class PageEncodingUnknown(SourceError):
    """The server packed the page in a way that was not asked for, or the packing is damaged."""

    code = "page-encoding-unknown"
    status = 502
    message = "The page came packed in a way that cannot be read."
    hint = "The server should send the page plain or packed with gzip or deflate. A later sync tries again."


class TooManyRedirects(SourceError):
    """A chain of redirects that is too long, or a circle."""

    code = "too-many-redirects"
    message = "The page is redirected too often."
    hint = "Open the address in a browser: pages that want a cookie or a sign-in lead in circles."


class RedirectRefused(SourceError):
    """A redirect to something that is not fetched; `details.target` names it."""

    code = "redirect-refused"
    message = "The page leads to an address outside what is fetched."
    hint = "If that page is wanted, add a source that begins there, or widen the scope of this one."


class PageStatus(SourceError):
    """The server answered with an error; `details.status` is its HTTP status."""

    code = "page-status"
    status = 502
    message = "The server answered with an error."
    hint = "Open the page in a browser. A later sync tries it again; its document stays meanwhile."


class PageKindUnwanted(SourceError):
    """A kind of file that is not imported from web sites."""

    code = "page-kind-unwanted"
    message = "This kind of file is not imported."
    hint = "Upload the file by hand, or switch on that linked documents are imported."


class PageWithoutText(SourceError):
    """A page without text, often one that a script builds in the browser."""

    code = "page-without-text"
    message = "The page has no text."
    hint = "Pages that a script builds in the browser cannot be read. A selector may also fit nothing."


class PageNotWanted(SourceError):
    """The page itself, the site's rules or the settings say that it is not to be imported."""

    code = "page-not-wanted"
    message = "The page is not to be imported."
    hint = "The reason names who says so: robots.txt, the page itself, or the settings of the source."


class DeletedHere(SourceError):
    """The document was deleted by a person; it does not come back by itself."""

    code = "deleted-here"
    message = "The document was deleted here and is not imported again."
    hint = "Sync with restore_deleted to bring deleted documents back."


class SiteUnreachable(SourceError):
    """The start page cannot be had, so nothing is known of the site; nothing was removed."""

    code = "site-unreachable"
    status = 502
    message = "The start page could not be read. Nothing was changed."
    hint = "Check the address in a browser, and whether this server may reach it."


class SiteFailing(SourceError):
    """Too many pages in a row failed; the run was stopped and nothing was removed."""

    code = "site-failing"
    status = 502
    message = "Too many pages in a row failed, so the run was stopped. Nothing was removed."
    hint = "Sync again when the site answers. Fewer requests at once, or a delay between them, may help."


class SiteForbids(SourceError):
    """The site's robots.txt does not allow the start page to be fetched."""

    code = "site-forbids"
    message = "The site's robots.txt does not allow this page to be fetched."
    hint = "Ask whoever runs the site to allow the robot Refdesk in robots.txt, or begin at another page."


class TooMuchVanished(SourceError):
    """More than half of a source's documents would be removed; a broken site looks the same."""

    code = "too-much-vanished"
    message = "More than half of the documents would be removed, so none was."
    hint = "If the site really has shrunk, sync once more with allow_mass_removal."


class SourceExists(Conflict):
    """The base reads this site already; `details.source_id` is the source that does."""

    code = "source-exists"
    message = "This knowledge base reads this address already."
    hint = "Sync or change the source that is there, or give this one another start page or scope."


class SourceBusy(Conflict):
    """The source is being read already."""

    code = "source-busy"
    message = "This source is being read already."
    hint = "Wait until it has finished, or cancel it."


class SourceIdle(Conflict):
    """Nothing runs that could be cancelled."""

    code = "source-idle"
    message = "This source is not being read."


class SourceKindMismatch(Conflict):
    """An operation for another kind of source."""

    code = "source-kind-mismatch"
    message = "This cannot be done with a source of this kind."


class ManifestSuperseded(Conflict):
    """Another client began to sync this folder; this one's run is over."""

    code = "manifest-superseded"
    message = "Another client has begun to sync this folder."
    hint = "Start again when it has finished."


class PathInvalid(Invalid):
    """A path that leads out of the folder, is absolute, empty or too long."""

    code = "path-invalid"
    message = "This is not a path inside a folder."

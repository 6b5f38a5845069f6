"""What a document, a source or a table of questions can fail with tells people what to do about it."""

from collections.abc import Iterator

import pytest

from refdesk.kit.errors import AppError
from refdesk.knowledge.parsing import errors as parsing
from refdesk.knowledge.qa import errors as qa
from refdesk.knowledge.sources import errors as sources
from refdesk.knowledge.splitting import errors as splitting

# What people did themselves, and what says by its text what there is to say.
_NEEDS_NONE = {"parse-cancelled", "unreadable-file", "source-idle", "source-kind-mismatch", "path-invalid"}


def _failures() -> Iterator[type[AppError]]:
    for module in (parsing, qa, sources, splitting):
        for kind in vars(module).values():
            if isinstance(kind, type) and issubclass(kind, AppError) and kind.__module__ == module.__name__:
                yield kind


@pytest.mark.parametrize("kind", list(_failures()), ids=lambda kind: kind.code)
def test_every_failure_has_a_hint(kind: type[AppError]) -> None:
    assert kind.hint or kind.code in _NEEDS_NONE

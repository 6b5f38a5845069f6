"""The collector rests during a split and is afterwards as it was."""

import gc

import pytest

from refdesk.knowledge.splitting.collecting import without_collecting


def _fail_inside() -> None:
    with without_collecting():
        with without_collecting():
            assert not gc.isenabled()
        assert not gc.isenabled()
        raise ValueError("inside")


@pytest.mark.parametrize("enabled", [True, False])
def test_collector_is_left_as_it_was_found_whatever_happens(enabled: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with pytest.raises(ValueError, match="inside"):
            _fail_inside()
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if before else gc.disable)()

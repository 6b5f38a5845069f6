"""The vendor outage drill with small numbers; `benchmarks/outage_drill.py` has the full ones."""

import pytest
from benchmarks.outage_drill import FAULTS, Drill, opened, outage

from refdesk.kit.settings import Settings

SMALL = Drill(callers=24, token_s=0.01, limit_ms=600, interval_ms=1_000, well_s=0.8, outage_s=2.5)


@pytest.mark.parametrize("fault", FAULTS)
async def test_no_caller_sees_an_outage_that_the_policy_can_avoid(database, tmp_path, fault):
    async with opened(database, Settings(data_dir=tmp_path), SMALL) as place:
        seen = await outage(place, SMALL, fault)
    assert seen["error_kinds"] == []
    assert seen["not_whole"] == 0
    assert seen["switched"] > 0
    assert (seen["restarted"] > 0) == (fault == "break")
    assert seen["first_token_outage_max_ms"] < SMALL.limit_ms + 1_500  # a busy machine's own delays
    assert seen["recovered_s"] is not None
    assert seen["recovered_s"] <= seen["recovery_target_s"]
    assert (seen["permits_left"], seen["leases_left"], seen["connections_left"]) == (0, 0, 0)

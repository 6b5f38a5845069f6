"""The breaker's states: three failures in a row open it, one lease at a time tries it."""

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from refdesk.gateway.routing.breaker import LEASE_S, Breaker, BreakerSettings

SETTINGS = BreakerSettings(threshold=3, open_s=10.0)


def failed(times: int, at: float = 0.0) -> Breaker:
    state = Breaker()
    for _ in range(times):
        state = state.after("failure", at, SETTINGS)
    return state


def test_three_failures_in_a_row_open_it():
    assert [failed(n).state for n in range(5)] == ["closed", "closed", "closed", "open", "open"]


def test_a_success_between_failures_keeps_it_closed():
    state = failed(2).after("success", 0.0, SETTINGS).after("failure", 0.0, SETTINGS)
    assert (state.state, state.failures) == ("closed", 1)


def test_it_is_left_alone_until_its_time_and_then_lent_once():
    state = failed(3, at=100.0)
    assert state.allows(109.9) == "no"
    assert state.leased("a", 109.9) is None
    lent = state.leased("a", 110.0)
    assert lent is not None
    assert lent.state == "half_open"
    assert lent.leased("b", 110.0) is None
    assert lent.leased("b", 110.0 + LEASE_S) is not None


def test_the_lease_decides():
    lent = failed(3).leased("a", 10.0)
    assert lent is not None
    assert lent.after("probe-success", 11.0, SETTINGS, "a").state == "closed"
    assert lent.after("probe-success", 11.0, SETTINGS, "b") is lent
    again = lent.after("probe-failure", 11.0, SETTINGS, "a")
    assert (again.state, again.retry_at) == ("open", 21.0)
    assert lent.after("release", 11.0, SETTINGS, "a").allows(11.0) == "lease"


def test_late_ends_of_calls_that_began_before_change_nothing():
    state = failed(3)
    assert state.after("success", 1.0, SETTINGS) is state
    assert state.after("failure", 1.0, SETTINGS) is state


def test_a_good_probe_lets_the_next_call_try_at_once():
    state = failed(3, at=100.0).after("healthy", 101.0, SETTINGS)
    assert state.allows(101.0) == "lease"


class ManyProcesses(RuleBasedStateMachine):
    """Any order of events of several processes over one stored breaker."""

    def __init__(self):
        super().__init__()
        self.state = Breaker()
        self.now = 0.0
        self.owner: str | None = None
        self.in_a_row = 0

    @rule(seconds=st.floats(0.0, 100.0))
    def time_passes(self, seconds):
        self.now += seconds

    @rule()
    def a_call_fails(self):
        if self.state.allows(self.now) == "yes":
            self.in_a_row += 1
        self.state = self.state.after("failure", self.now, SETTINGS)

    @rule()
    def a_call_succeeds(self):
        if self.state.state == "closed":
            self.in_a_row = 0
        self.state = self.state.after("success", self.now, SETTINGS)

    @rule(owner=st.sampled_from("abc"))
    def somebody_wants_the_lease(self, owner):
        leased = self.state.leased(owner, self.now)
        if leased is not None:
            assert self.state.state != "half_open" or self.now >= self.state.lease_until
            self.state, self.owner = leased, owner

    @rule(owner=st.sampled_from("abc"), event=st.sampled_from(("probe-success", "probe-failure", "release")))
    def a_try_ends(self, owner, event):
        before = self.state
        self.state = before.after(event, self.now, SETTINGS, owner)
        if before.state != "half_open" or owner != self.owner:
            assert self.state is before
        elif event == "probe-success":
            assert self.state.state == "closed"
            self.in_a_row = 0
        else:
            assert self.state.state == "open"

    @rule()
    def a_probe_is_good(self):
        before = self.state
        self.state = before.after("healthy", self.now, SETTINGS)
        assert self.state.state == before.state

    @invariant()
    def it_opens_at_three_and_not_before(self):
        if self.state.state == "closed":
            assert self.state.failures == self.in_a_row < SETTINGS.threshold
        else:
            assert self.state.failures >= SETTINGS.threshold

    @invariant()
    def only_half_open_has_an_owner(self):
        assert (self.state.owner is not None) == (self.state.state == "half_open")

    @invariant()
    def it_is_never_shut_for_good(self):
        assert self.state.allows(self.now + SETTINGS.open_s + LEASE_S) != "no"


TestManyProcesses = ManyProcesses.TestCase


@given(st.lists(st.sampled_from(("failure", "success", "healthy"))))
def test_every_change_raises_the_version(events):
    state = Breaker()
    for at, event in enumerate(events):
        after = state.after(event, float(at), SETTINGS)
        assert after is state or after.version == state.version + 1
        state = after

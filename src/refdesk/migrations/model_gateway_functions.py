"""The functions of revision 0005 in the database: counting against limits, and handing out permits.

Each is one statement for its caller, so that a call costs one round trip and what it reads and writes is one
transaction. Locks are always taken in one order.
"""

# One batch of calls. Slots are the counters it touches, in the order of (limit, subject), each once; entries
# say which call charges which slot with how much, sorted by call. A call is counted in all its slots or, if
# a hard limit has no room for it, in none. Amounts and windows are read here and not given, so they are those
# of now; the clock is the database's, so processes agree about windows.
ADMIT = """
CREATE FUNCTION admit_model_calls(
    slot_limits uuid[], slot_subjects text[], calls int[], slots int[], charges numeric[]
) RETURNS TABLE (
    call int, slot int, is_admitted boolean, is_over boolean, is_hard boolean,
    used numeric, amount numeric, window_start timestamptz, window_end timestamptz
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    moment timestamptz;
    known int;
    slot_used numeric[]; slot_amount numeric[]; slot_hard boolean[];
    slot_start timestamptz[]; slot_end timestamptz[];
    first int := 1; last int; entry int; fits boolean;
BEGIN
    PERFORM 1 FROM model_limit_counters c
        JOIN unnest(slot_limits, slot_subjects) AS w(limit_id, subject)
            ON c.limit_id = w.limit_id AND c.subject = w.subject
        ORDER BY c.limit_id, c.subject FOR UPDATE OF c;
    GET DIAGNOSTICS known = ROW_COUNT;
    IF known < cardinality(slot_limits) THEN
        INSERT INTO model_limit_counters (limit_id, subject, window_start, used)
            SELECT l.id, w.subject, '-infinity', 0
            FROM unnest(slot_limits, slot_subjects) AS w(limit_id, subject)
            JOIN model_limits l ON l.id = w.limit_id
            ORDER BY 1, 2 ON CONFLICT DO NOTHING;
        PERFORM 1 FROM model_limit_counters c
            JOIN unnest(slot_limits, slot_subjects) AS w(limit_id, subject)
                ON c.limit_id = w.limit_id AND c.subject = w.subject
            ORDER BY c.limit_id, c.subject FOR UPDATE OF c;
    END IF;
    moment := clock_timestamp();
    SELECT array_agg(CASE WHEN s.began >= s.start THEN s.used ELSE 0 END ORDER BY s.place),
           array_agg(s.amount ORDER BY s.place), array_agg(s.is_hard ORDER BY s.place),
           array_agg(greatest(s.start, s.began) ORDER BY s.place), array_agg(s.stop ORDER BY s.place)
        INTO slot_used, slot_amount, slot_hard, slot_start, slot_end
        FROM (
            SELECT w.place, c.used, c.window_start AS began, l.amount, l.is_hard, t.start,
                CASE l.window_kind
                    WHEN 'seconds' THEN t.start + make_interval(secs => l.window_s)
                    ELSE (t.start AT TIME ZONE z.zone + ('1 ' || l.window_kind)::interval) AT TIME ZONE z.zone
                END AS stop
            FROM unnest(slot_limits, slot_subjects) WITH ORDINALITY AS w(limit_id, subject, place)
            LEFT JOIN model_limits l ON l.id = w.limit_id AND l.is_active
            LEFT JOIN model_limit_counters c ON c.limit_id = w.limit_id AND c.subject = w.subject
            LEFT JOIN model_usage_settings u ON u.workspace_id = l.workspace_id
            CROSS JOIN LATERAL (SELECT coalesce(u.time_zone, 'UTC') AS zone) z
            CROSS JOIN LATERAL (SELECT CASE l.window_kind
                WHEN 'seconds'
                    THEN to_timestamp(floor(extract(epoch FROM moment) / l.window_s) * l.window_s)
                ELSE date_trunc(l.window_kind, moment, z.zone)
            END AS start) t
        ) s;
    WHILE first <= cardinality(calls) LOOP
        last := first; fits := true;
        LOOP
            fits := fits AND NOT coalesce(
                slot_hard[slots[last]]
                AND slot_used[slots[last]] + charges[last] > slot_amount[slots[last]], false);
            EXIT WHEN last = cardinality(calls) OR calls[last + 1] <> calls[first];
            last := last + 1;
        END LOOP;
        FOR entry IN first..last LOOP
            call := calls[entry]; slot := slots[entry]; is_admitted := fits;
            is_over := coalesce(slot_used[slot] + charges[entry] > slot_amount[slot], false);
            is_hard := slot_hard[slot]; amount := slot_amount[slot];
            window_start := slot_start[slot]; window_end := slot_end[slot];
            IF fits THEN slot_used[slot] := slot_used[slot] + charges[entry]; END IF;
            used := slot_used[slot];
            RETURN NEXT;
        END LOOP;
        first := last + 1;
    END LOOP;
    UPDATE model_limit_counters c SET used = w.used, window_start = w.start
        FROM unnest(slot_limits, slot_subjects, slot_used, slot_start) AS w(limit_id, subject, used, start)
        WHERE c.limit_id = w.limit_id AND c.subject = w.subject AND w.start IS NOT NULL
            AND (c.used, c.window_start) IS DISTINCT FROM (w.used, w.start);
END $$
"""

# What calls really used beside what was counted for them; nothing where their window is over.
SETTLE = """
CREATE FUNCTION settle_model_calls(
    slot_limits uuid[], slot_subjects text[], starts timestamptz[], changes numeric[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM model_limit_counters c
        JOIN unnest(slot_limits, slot_subjects) AS w(limit_id, subject)
            ON c.limit_id = w.limit_id AND c.subject = w.subject
        ORDER BY c.limit_id, c.subject FOR UPDATE OF c;
    UPDATE model_limit_counters c SET used = greatest(0, c.used + w.change)
        FROM (
            SELECT limit_id, subject, start, sum(change) AS change
            FROM unnest(slot_limits, slot_subjects, starts, changes) AS g(limit_id, subject, start, change)
            GROUP BY 1, 2, 3
        ) w
        WHERE c.limit_id = w.limit_id AND c.subject = w.subject AND c.window_start = w.start;
END $$
"""

# Hands free permits to who waits: urgent calls first, then by turns, then by arrival. Tickets whose process
# died are void. Who waits is told over `refdesk_permits`: `model ticket` for each grant, `model` when places
# moved.
GRANT = """
CREATE FUNCTION grant_model_permits(model uuid) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE
    places int;
    granted uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('refdesk model ' || model::text, 0));
    DELETE FROM model_permit_tickets WHERE model_id = model AND expires_at < clock_timestamp();
    SELECT coalesce(m.concurrency, 2147483647) - (
        SELECT count(*) FROM model_permit_tickets t WHERE t.model_id = model AND t.is_held
    ) INTO places FROM models m WHERE m.id = model;
    IF coalesce(places, 0) <= 0 THEN RETURN; END IF;
    FOR granted IN
        UPDATE model_permit_tickets t SET is_held = true FROM (
            SELECT id FROM model_permit_tickets WHERE model_id = model AND NOT is_held
            ORDER BY urgency, turn, number LIMIT places
        ) n WHERE t.id = n.id RETURNING t.id
    LOOP
        PERFORM pg_notify('refdesk_permits', model::text || ' ' || granted::text);
        RETURN NEXT granted;
    END LOOP;
END $$
"""

# A new ticket; whether it holds a permit at once. A model that is gone has no queue. Parties take turns: a
# ticket's is the one after the last of its party, but never before the one that is being served, so that
# neither many calls of one party nor ever new parties keep anybody waiting.
ENTER = """
CREATE FUNCTION enter_model_queue(
    ticket uuid, workspace uuid, model uuid, of_party text, of_urgency int, lease_s double precision
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    served bigint;
    own bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('refdesk model ' || model::text, 0));
    SELECT greatest(max(turn) FILTER (WHERE is_held), min(turn) FILTER (WHERE NOT is_held), 0),
            max(turn) FILTER (WHERE party = of_party)
        INTO served, own
        FROM model_permit_tickets WHERE model_id = model AND urgency = of_urgency;
    INSERT INTO model_permit_tickets
            (id, workspace_id, model_id, party, urgency, turn, is_held, expires_at)
        SELECT ticket, workspace, m.id, of_party, of_urgency, greatest(served, own + 1), false,
            clock_timestamp() + make_interval(secs => lease_s)
        FROM models m WHERE m.id = model;
    IF NOT FOUND THEN RETURN true; END IF;
    PERFORM grant_model_permits(model);
    RETURN (SELECT is_held FROM model_permit_tickets WHERE id = ticket);
END $$
"""

LEAVE = """
CREATE FUNCTION leave_model_queue(tickets uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    model uuid;
BEGIN
    FOR model IN SELECT DISTINCT model_id FROM model_permit_tickets WHERE id = ANY (tickets) ORDER BY 1 LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended('refdesk model ' || model::text, 0));
        DELETE FROM model_permit_tickets WHERE model_id = model AND id = ANY (tickets);
        PERFORM grant_model_permits(model);
        IF EXISTS (SELECT FROM model_permit_tickets WHERE model_id = model AND NOT is_held) THEN
            PERFORM pg_notify('refdesk_permits', model::text);
        END IF;
    END LOOP;
END $$
"""

# The tickets of a model with their places: 0 holds a permit. The order is that of `grant_model_permits`.
PLACES = """
CREATE FUNCTION places_in_model_queue(model uuid) RETURNS TABLE (ticket uuid, place bigint)
LANGUAGE sql STABLE AS $$
    SELECT id, 0 FROM model_permit_tickets WHERE model_id = model AND is_held
    UNION ALL
    SELECT id, row_number() OVER (ORDER BY urgency, turn, number) FROM model_permit_tickets
    WHERE model_id = model AND NOT is_held
$$
"""

RENEW = """
CREATE FUNCTION renew_model_permits(tickets uuid[], lease_s double precision) RETURNS void
LANGUAGE sql AS $$
    UPDATE model_permit_tickets t SET expires_at = clock_timestamp() + make_interval(secs => lease_s)
    FROM (SELECT id FROM model_permit_tickets WHERE id = ANY (tickets) ORDER BY id FOR UPDATE) o
    WHERE t.id = o.id
$$
"""

TELL = """
CREATE FUNCTION tell_model_controls() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('refdesk_controls', TG_TABLE_NAME);
    RETURN NULL;
END $$
"""

ALL = {
    "admit_model_calls": ADMIT,
    "settle_model_calls": SETTLE,
    "grant_model_permits": GRANT,
    "enter_model_queue": ENTER,
    "leave_model_queue": LEAVE,
    "places_in_model_queue": PLACES,
    "renew_model_permits": RENEW,
}

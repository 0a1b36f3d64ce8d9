-- The ledger by months, and what it comes to by days: added up as events arrive, so that nobody counts millions of them to answer.

-- An event is billed in the month in which it occurred; one that comes when that month is closed for its tenant, in the next that is
-- open. So what a closed month consists of never changes, and its part of the table can be written off and taken out.
ALTER TABLE usage_event RENAME TO usage_event_before;
ALTER INDEX usage_event_pkey RENAME TO usage_event_before_pkey;
DROP INDEX usage_event_time;
CREATE TABLE usage_event (
    -- When the session was created.
    occurred_at    timestamptz NOT NULL,
    -- The first day of the month in which it is billed.
    billing_period date        NOT NULL CHECK (extract(day FROM billing_period) = 1),
    tenant_id      uuid        NOT NULL,
    -- The login's id. A login has one session (session_pkey), and an event is written with its session only.
    id             uuid        NOT NULL,
    application_id uuid        NOT NULL,
    user_id        uuid        NOT NULL,
    kind           text        NOT NULL CHECK (kind IN ('login')),
    connection     text        NOT NULL CHECK (connection IN ('own', 'shared')),
    PRIMARY KEY (tenant_id, billing_period, occurred_at, id)
) PARTITION BY RANGE (billing_period);
-- A login never fails because a month's part is not there yet; create_usage_partition moves what has come here.
CREATE TABLE usage_event_default PARTITION OF usage_event DEFAULT;
ALTER TABLE usage_event ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON usage_event
    USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
-- Never edited, never deleted: a correction is another row. The parts themselves are granted to nobody.
GRANT SELECT, INSERT ON usage_event TO espalier_server;

-- Makes a month's part of the ledger. The server's role owns nothing, so it has this done.
-- Answers whether there was none yet.
CREATE FUNCTION create_usage_partition(month date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    name text := 'usage_event_' || to_char(month, 'YYYY_MM');
BEGIN
    IF month <> date_trunc('month', month)::date OR month NOT BETWEEN date '2000-01-01' AND (clock_timestamp() + interval '2 years')::date
    THEN
        RAISE EXCEPTION '% is no month of the ledger', month USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- One at a time: of two, the second finds it made.
    PERFORM pg_advisory_xact_lock(1969516389, 0);
    IF to_regclass(format('%I', name)) IS NOT NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE %I (LIKE usage_event INCLUDING ALL)', name);
    -- Whoever inserts waits for a moment, and then finds the new part.
    LOCK TABLE usage_event IN SHARE ROW EXCLUSIVE MODE;
    EXECUTE format('WITH moved AS (DELETE FROM usage_event_default WHERE billing_period = $1 RETURNING *)
        INSERT INTO %I SELECT * FROM moved', name) USING month;
    EXECUTE format('ALTER TABLE usage_event ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        name, month, (month + interval '1 month')::date);
    RETURN true;
END
$$;

-- What has come and is not added up yet. A pass takes it from here in the transaction in which it adds it up, so that each event is in
-- the one or in the other.
CREATE TABLE usage_arrival (
    occurred_at    timestamptz NOT NULL,
    billing_period date        NOT NULL,
    tenant_id      uuid        NOT NULL,
    id             uuid        NOT NULL,
    application_id uuid        NOT NULL,
    user_id        uuid        NOT NULL,
    kind           text        NOT NULL,
    connection     text        NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

-- Events by the UTC day in which they occurred. What remains of a purged tenant's: numbers, without its users.
CREATE TABLE usage_day (
    tenant_id      uuid   NOT NULL,
    day            date   NOT NULL,
    billing_period date   NOT NULL,
    -- The nil UUID where only the number is known.
    application_id uuid   NOT NULL,
    connection     text   NOT NULL,
    kind           text   NOT NULL,
    events         bigint NOT NULL CHECK (events > 0),
    PRIMARY KEY (tenant_id, day, billing_period, application_id, connection, kind)
);
CREATE INDEX usage_day_by_day ON usage_day (day, tenant_id);

-- How many different users signed in, by day and by month: in all, by application, by connection, by both. What is not told apart
-- is the nil UUID and the empty text.
CREATE TABLE usage_users (
    tenant_id      uuid   NOT NULL,
    grain          text   NOT NULL CHECK (grain IN ('day', 'month')),
    starts_on      date   NOT NULL,
    application_id uuid   NOT NULL,
    connection     text   NOT NULL,
    users          bigint NOT NULL CHECK (users > 0),
    PRIMARY KEY (tenant_id, grain, starts_on, application_id, connection)
);

-- On which days of a month a user signed in: what `usage_users` is added up by.
CREATE TABLE usage_month_user (
    tenant_id      uuid    NOT NULL,
    month          date    NOT NULL,
    user_id        uuid    NOT NULL,
    application_id uuid    NOT NULL,
    connection     text    NOT NULL,
    -- Bit 0 is the first of the month.
    days           integer NOT NULL,
    PRIMARY KEY (tenant_id, month, user_id, application_id, connection)
);

-- What is there: into its months, and to be added up.
DO $$
DECLARE
    month date;
BEGIN
    FOR month IN
        SELECT DISTINCT date_trunc('month', occurred_at AT TIME ZONE 'UTC')::date FROM usage_event_before
        UNION SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead))::date
            FROM generate_series(0, 3) AS ahead
    LOOP
        PERFORM create_usage_partition(month);
    END LOOP;
END
$$;
WITH moved AS (
    INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
    SELECT occurred_at, date_trunc('month', occurred_at AT TIME ZONE 'UTC')::date, tenant_id, id, application_id, user_id, kind, connection
    FROM usage_event_before
    RETURNING *)
INSERT INTO usage_arrival SELECT occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection FROM moved;
DROP TABLE usage_event_before;
INSERT INTO usage_day (tenant_id, day, billing_period, application_id, connection, kind, events)
    SELECT tenant_id, day, date_trunc('month', day)::date, '00000000-0000-0000-0000-000000000000', connection, kind, quantity
    FROM purged_usage;
DROP TABLE purged_usage;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['usage_arrival', 'usage_day', 'usage_users', 'usage_month_user'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY tenant_isolation ON %I
            USING (current_setting(''espalier.tenant'', true) IN (tenant_id::text, ''platform''))', name);
    END LOOP;
END
$$;
GRANT SELECT, INSERT, DELETE ON usage_arrival TO espalier_server;
GRANT SELECT, INSERT, UPDATE ON usage_day, usage_users TO espalier_server;
GRANT SELECT, INSERT, UPDATE, DELETE ON usage_month_user TO espalier_server;

DO $$
BEGIN
    -- What it makes goes into the first schema that is named; pg_catalog, which is not, is looked into before.
    EXECUTE format('ALTER FUNCTION create_usage_partition(date) SET search_path = %I, pg_temp', current_schema());
END
$$;
REVOKE ALL ON FUNCTION create_usage_partition(date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION create_usage_partition(date) TO espalier_server;

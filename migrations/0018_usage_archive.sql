-- Old months of the ledger leave the database as files. What they came to stays: days, users, statements.

-- Which months have left, and with how many events.
CREATE TABLE usage_archive (
    tenant_id   uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
        CHECK (tenant_id = '00000000-0000-0000-0000-000000000000'),
    month       date        NOT NULL CHECK (extract(day FROM month) = 1),
    rows        bigint      NOT NULL CHECK (rows >= 0),
    archived_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, month)
);
ALTER TABLE usage_archive ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON usage_archive USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT ON usage_archive TO espalier_server;

-- Months of the ledger that have a part of their own, the oldest first.
CREATE FUNCTION usage_partitions() RETURNS SETOF date LANGUAGE sql STABLE AS $$
    SELECT to_date(substr(part.relname, 13), 'YYYY_MM') FROM pg_inherits JOIN pg_class AS part ON part.oid = inhrelid
    WHERE inhparent = 'usage_event'::regclass AND part.relname ~ '^usage_event_[0-9]{4}_[0-9]{2}$' ORDER BY 1
$$;

-- Which of these months have no part yet, and which have events in the default one, which is granted to nobody.
CREATE FUNCTION missing_usage_partitions(wanted date[]) RETURNS SETOF date LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT month FROM unnest(wanted) AS month WHERE month NOT IN (SELECT usage_partitions())
    UNION SELECT DISTINCT billing_period FROM usage_event_default
    ORDER BY 1
$$;

-- Takes a month out of the ledger, when it is all on the file that the caller has written: `expected` is how many events stand there.
-- The one way to remove what the server's role may only append to, but for the end of a tenant. So it decides by itself, and says why
-- not: `gone` (there is no such month any more), `counted` (another number of events), `waiting` (some are not added up yet), `open`
-- (some are on no closed statement). `archived`: it was done.
CREATE FUNCTION archive_usage_partition(month date, expected bigint) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    part    text := 'usage_event_' || to_char(month, 'YYYY_MM');
    counted bigint;
    is_open boolean;
BEGIN
    -- Parts come and go one at a time.
    PERFORM pg_advisory_xact_lock(1969516389, 0);
    IF month NOT IN (SELECT usage_partitions()) THEN
        RETURN 'gone';
    END IF;
    -- Nothing is added to the month from here on; logins, which go to another, do not notice.
    EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', part);
    EXECUTE format('SELECT COALESCE(sum(events), 0), COALESCE(bool_or(billed IS DISTINCT FROM events), false) FROM (
        SELECT tenant_id, count(*) AS events, (
            SELECT statement.events FROM statement WHERE statement.tenant_id = event.tenant_id AND period = $1 AND state = ''closed'') AS billed
        FROM %I AS event GROUP BY tenant_id) AS counted', part) INTO counted, is_open USING month;
    IF is_open OR (month + interval '1 month') AT TIME ZONE 'UTC' > clock_timestamp()
        OR EXISTS (SELECT FROM statement WHERE period = month AND state <> 'closed')
    THEN
        RETURN 'open';
    END IF;
    IF counted <> expected THEN
        RETURN 'counted';
    END IF;
    IF EXISTS (SELECT FROM usage_arrival WHERE billing_period = month
        OR occurred_at >= month::timestamp AT TIME ZONE 'UTC' AND occurred_at < (month + interval '1 month') AT TIME ZONE 'UTC')
    THEN
        RETURN 'waiting';
    END IF;
    -- For a moment, everything that reads or writes the ledger waits; and this waits for what does so now, no longer than `lock_timeout`.
    EXECUTE format('ALTER TABLE usage_event DETACH PARTITION %I', part);
    EXECUTE format('DROP TABLE %I', part);
    INSERT INTO usage_archive (month, rows, archived_at) VALUES (archive_usage_partition.month, counted, clock_timestamp());
    RETURN 'archived';
END
$$;

-- Says that an archived month is back: `expected` events of it are in the ledger again. False: there are not as many.
CREATE FUNCTION restored_usage_partition(month date, expected bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    counted bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(1969516389, 0);
    SELECT count(*) INTO counted FROM usage_event WHERE billing_period = restored_usage_partition.month;
    IF counted <> expected THEN
        RETURN false;
    END IF;
    DELETE FROM usage_archive WHERE usage_archive.month = restored_usage_partition.month;
    RETURN true;
END
$$;

DO $$
DECLARE
    function text;
BEGIN
    FOREACH function IN ARRAY ARRAY['usage_partitions()', 'missing_usage_partitions(date[])', 'archive_usage_partition(date, bigint)',
        'restored_usage_partition(date, bigint)'] LOOP
        -- The server forbids itself to read whole tables; these have to.
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', function, current_schema());
        EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = on', function);
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO espalier_server', function);
    END LOOP;
END
$$;

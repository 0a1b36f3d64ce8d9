-- TRUNCATE fires no row triggers, so the owner of the schema could empty a closed statement with it. These triggers refuse it for
-- every role. A role that owns the tables can still disable or drop a trigger.
CREATE FUNCTION truncate_refused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are never removed by TRUNCATE', TG_TABLE_NAME
        USING ERRCODE = 'check_violation', CONSTRAINT = 'truncate_refused';
END
$$;
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['statement', 'statement_term', 'statement_line', 'audit_event', 'rate_card', 'tenant_plan',
        'usage_archive', 'user_deletion', 'usage_event'] LOOP
        EXECUTE format('CREATE TRIGGER truncate_refused BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION truncate_refused()',
            name);
    END LOOP;
    -- The parts of the ledger can be named, too.
    FOR name IN SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'usage_event'::regclass LOOP
        EXECUTE format('CREATE TRIGGER truncate_refused BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION truncate_refused()',
            name);
    END LOOP;
END
$$;

-- As in 0019, except that a new part has the trigger.
CREATE OR REPLACE FUNCTION create_usage_partition(month date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
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
    EXECUTE format('CREATE TRIGGER truncate_refused BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION truncate_refused()', name);
    -- Attaching needs the default part alone. A reader of the whole ledger may hold it for long. So this waits here, where no login
    -- waits behind it, and releases the part at once.
    BEGIN
        LOCK TABLE usage_event_default IN ACCESS EXCLUSIVE MODE;
        RAISE EXCEPTION USING ERRCODE = 'ES001';
    EXCEPTION WHEN SQLSTATE 'ES001' THEN
        NULL;
    END;
    -- Inserts wait for a moment, and then find the new part.
    LOCK TABLE usage_event IN SHARE ROW EXCLUSIVE MODE;
    EXECUTE format('WITH moved AS (DELETE FROM usage_event_default WHERE billing_period = $1 RETURNING *)
        INSERT INTO %I SELECT * FROM moved', name) USING month;
    EXECUTE format('ALTER TABLE usage_event ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        name, month, (month + interval '1 month')::date);
    RETURN true;
END
$$;
DO $$
BEGIN
    -- The new part goes into the first schema in the path. pg_catalog is searched before it without being named.
    EXECUTE format('ALTER FUNCTION create_usage_partition(date) SET search_path = %I, pg_temp', current_schema());
END
$$;
ALTER FUNCTION create_usage_partition(date) SET lock_timeout = '500ms';

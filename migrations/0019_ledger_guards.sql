-- The role that serves can no longer have a month taken out of the ledger, and making a part holds up no login behind a long reading.

-- That the events stand in a file is what only `espalier usage archive` knows, which writes it. So it works as the owner of the schema,
-- as `espalier migrate` does: a server that somebody else got hold of can lose none.
REVOKE EXECUTE ON FUNCTION archive_usage_partition(date, bigint), restored_usage_partition(date, bigint) FROM espalier_server;

-- As in 0013, but that it finds out whether the default part is being read, before it stops anybody.
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
    -- Attaching needs the default part for itself. Whoever reads the whole ledger has it, perhaps for long: that is waited for here, where
    -- no login waits behind us, and given back at once.
    BEGIN
        LOCK TABLE usage_event_default IN ACCESS EXCLUSIVE MODE;
        RAISE EXCEPTION USING ERRCODE = 'ES001';
    EXCEPTION WHEN SQLSTATE 'ES001' THEN
        NULL;
    END;
    -- Whoever inserts waits for a moment, and then finds the new part.
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
    EXECUTE format('ALTER FUNCTION create_usage_partition(date) SET search_path = %I, pg_temp', current_schema());
END
$$;
-- Whoever calls it: it gives up (55P03) and is asked again later, rather than that anybody waits behind it.
ALTER FUNCTION create_usage_partition(date) SET lock_timeout = '500ms';

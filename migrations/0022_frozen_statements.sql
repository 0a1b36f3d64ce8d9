-- What guards closed statements looks at the statements of this schema alone. The role that serves could put a temporary table of its own in
-- front of them, and add lines to what is closed.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION statement_frozen() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;

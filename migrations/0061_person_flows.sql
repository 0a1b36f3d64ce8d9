-- The flows of a person's own account.

-- An account without a membership is deleted some time after the end of its last one, so this end is a change of the account. The function
-- sees the account in place of the tenant.
CREATE FUNCTION membership_ended() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    UPDATE person SET updated_at = GREATEST(clock_timestamp(), updated_at + interval '1 microsecond')
    WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND id = OLD.person_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER membership_ended AFTER DELETE ON membership FOR EACH ROW EXECUTE FUNCTION membership_ended();

DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION membership_ended() SET search_path = pg_catalog, %I, pg_temp', current_schema());
    EXECUTE 'REVOKE ALL ON FUNCTION membership_ended() FROM PUBLIC';
END
$$;

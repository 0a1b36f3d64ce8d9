-- What a sink does not take, and what waits of a tenant that is gone.

-- The user of a purged tenant's login is forgotten, and the login still counted.
ALTER TABLE usage_sink_event ALTER COLUMN user_id DROP NOT NULL;
ALTER TABLE usage_sink_event
    -- When it was set aside: it is not sent again until somebody says so. With the status that it alone was refused with; without one,
    -- nobody knows whether it was counted, and the receiver would not know it again.
    ADD COLUMN refused_at      timestamptz,
    ADD COLUMN refused_status  integer,
    -- When it was sent for the first time and no answer said what became of it.
    ADD COLUMN uncertain_since timestamptz,
    ADD CHECK (refused_status IS NULL OR refused_at IS NOT NULL);
CREATE INDEX usage_sink_event_refused ON usage_sink_event (refused_at) WHERE refused_at IS NOT NULL;
GRANT UPDATE (refused_at, refused_status, uncertain_since) ON usage_sink_event TO espalier_server;
-- `usage_sink_batch.events` is from now on how many are neither taken nor set aside.

-- Who is purged has been billed, and the meter bills, too: what waits for it goes there, without the users, and so does what Stripe calls
-- the tenant until then.
DELETE FROM purged_table WHERE name IN ('usage_sink_event', 'usage_sink_customer');
CREATE FUNCTION forget_usage_sink_users() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    UPDATE usage_sink_event SET user_id = NULL WHERE tenant_id = NEW.id;
    DELETE FROM usage_sink_customer
    WHERE tenant_id = NEW.id AND NOT EXISTS (SELECT FROM usage_sink_event WHERE tenant_id = NEW.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER forget_usage_sink_users AFTER UPDATE OF status ON tenant FOR EACH ROW WHEN (NEW.status = 'purged')
    EXECUTE FUNCTION forget_usage_sink_users();

-- With the last of a purged tenant's events goes what Stripe called it.
CREATE FUNCTION forget_usage_sink_customer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    customer uuid;
BEGIN
    -- Two that take the last events at once wait for each other here, and the second then sees that there are none.
    FOR customer IN
        SELECT c.tenant_id FROM usage_sink_customer AS c JOIN tenant ON tenant.id = c.tenant_id
        WHERE c.tenant_id IN (SELECT taken.tenant_id FROM taken) AND tenant.status = 'purged' ORDER BY 1 FOR UPDATE OF c
    LOOP
        DELETE FROM usage_sink_customer
        WHERE tenant_id = customer AND NOT EXISTS (SELECT FROM usage_sink_event WHERE tenant_id = customer);
    END LOOP;
    RETURN NULL;
END
$$;
CREATE TRIGGER forget_usage_sink_customer AFTER DELETE ON usage_sink_event REFERENCING OLD TABLE AS taken
    FOR EACH STATEMENT EXECUTE FUNCTION forget_usage_sink_customer();

DO $$
DECLARE
    function text;
BEGIN
    FOREACH function IN ARRAY ARRAY['forget_usage_sink_users()', 'forget_usage_sink_customer()'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', function, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function);
    END LOOP;
END
$$;

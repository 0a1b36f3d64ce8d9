-- The end of a session with its user is not an event in WorkOS's format.

-- As in 0040, except that an endpoint with WorkOS's format receives no end of a session that ends with the deletion of its user, by
-- Espalier or by Apple. The list of events has none either: the deletion of the user includes it. And the session is deleted before the
-- delivery, which could not show it.
CREATE OR REPLACE FUNCTION emit_webhook_event(owner uuid, event uuid, event_type text, moment timestamptz, payload jsonb)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    -- If an endpoint is being deleted at the same time, this waits and skips it. A missing receiver must not make the action fail.
    endpoints uuid[] := ARRAY(SELECT e.id FROM webhook_endpoint e
        WHERE e.tenant_id = owner AND e.status = 'enabled' AND event_type = ANY(e.events) ORDER BY e.id FOR KEY SHARE);
    -- The endpoints that receive each session.
    singly    uuid[] := '{}';
    single    record;
    is_new    boolean := false;
BEGIN
    IF cardinality(endpoints) = 0 THEN
        RETURN false;
    END IF;
    IF event_type = 'session.revoked' THEN
        singly := ARRAY(SELECT e.id FROM webhook_endpoint e
            WHERE e.tenant_id = owner AND e.id = ANY(endpoints) AND e.format = 'workos' ORDER BY e.id);
        endpoints := ARRAY(SELECT id FROM unnest(endpoints) AS id WHERE id <> ALL(singly) ORDER BY id);
    END IF;
    FOR single IN
        SELECT event AS id, payload AS data, endpoints AS receivers WHERE cardinality(endpoints) > 0
        UNION ALL
        -- Version 7, like the event's: its milliseconds, and random bits.
        SELECT overlay(gen_random_uuid()::text PLACING left(event::text, 15) FROM 1 FOR 15)::uuid,
            payload || jsonb_build_object('revoked', 1, 'session_ids', jsonb_build_array(ended)), singly
        FROM jsonb_array_elements_text(payload->'session_ids') AS ended
        WHERE cardinality(singly) > 0 AND COALESCE(payload->>'reason', '') NOT IN ('user_deleted', 'account_deleted')
    LOOP
        INSERT INTO webhook_event (tenant_id, id, type, occurred_at, data) VALUES (owner, single.id, event_type, moment, single.data)
            ON CONFLICT DO NOTHING;
        CONTINUE WHEN NOT FOUND;
        WITH delivery AS (
            INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, state, created_at, updated_at, next_at)
            SELECT owner, overlay(gen_random_uuid()::text PLACING left(event::text, 15) FROM 1 FOR 15)::uuid, endpoint, single.id,
                'pending', moment, moment, moment
            FROM unnest(single.receivers) AS endpoint
            RETURNING id)
        INSERT INTO outbox (tenant_id, id, kind, subject, created_at, due_at)
            SELECT owner, gen_random_uuid(), 'webhook', delivery.id, moment, moment FROM delivery;
        is_new := true;
    END LOOP;
    RETURN is_new;
END
$$;

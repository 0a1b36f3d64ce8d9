-- The login of people from a terminal: a request of a terminal without a browser (RFC 8628), from its start until its codes expire
-- 10 minutes later. Neither code is stored. The device code is a sealed token with the ID, and the user code is a keyed digest.
CREATE TABLE person_device (
    tenant_id        uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
        CHECK (tenant_id = '00000000-0000-0000-0000-000000000000'),
    id               uuid        NOT NULL,
    user_code_digest bytea       NOT NULL,
    -- The terminal that asked, for the person who decides.
    host_name      text        CHECK (length(host_name) <= 60),
    user_agent       text        CHECK (length(user_agent) <= 300),
    address          text        CHECK (length(address) <= 100),
    -- The network of the request, for its limit.
    network          text        NOT NULL CHECK (length(network) <= 100),
    state            text        NOT NULL CHECK (state IN ('pending', 'refused', 'approved', 'redeemed')),
    -- How long the terminal must wait between two polls.
    interval_seconds integer     NOT NULL CHECK (interval_seconds BETWEEN 1 AND 300),
    polled_at        timestamptz,
    -- The person who approved, and the approval sealed for this row. So nobody can approve a terminal by a change of its row.
    person_id        uuid,
    approval         text        CHECK (length(approval) <= 4096),
    created_at       timestamptz NOT NULL,
    expires_at       timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, person_id) REFERENCES person (tenant_id, id) ON DELETE CASCADE,
    CONSTRAINT person_device_user_code UNIQUE (tenant_id, user_code_digest),
    CONSTRAINT person_device_person CHECK ((state IN ('approved', 'redeemed')) = (person_id IS NOT NULL)),
    CONSTRAINT person_device_approval CHECK ((person_id IS NULL) = (approval IS NULL))
);
-- For the limit of a network.
CREATE INDEX person_device_network ON person_device (tenant_id, network, expires_at);
CREATE INDEX person_device_person ON person_device (tenant_id, person_id) WHERE person_id IS NOT NULL;
-- For the deletion of old rows.
CREATE INDEX person_device_expires_at ON person_device (expires_at);
ALTER TABLE person_device ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON person_device USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
CREATE POLICY starts_pending ON person_device AS RESTRICTIVE FOR INSERT WITH CHECK (state = 'pending');
GRANT SELECT, INSERT, DELETE, UPDATE (state, interval_seconds, polled_at, person_id, approval) ON person_device TO espalier_server;

-- Webhook events on a developer's terminal -------------------------------------------------------------------------------

-- A connection that reads the events of a tenant. While there is one, events are kept without an endpoint, too.
CREATE TABLE webhook_listener (
    tenant_id  uuid        NOT NULL REFERENCES tenant (id),
    id         uuid        NOT NULL,
    -- The actor that listens, as in the audit trail.
    actor      text        NOT NULL CHECK (length(actor) BETWEEN 1 AND 100),
    created_at timestamptz NOT NULL,
    -- The connection extends it while it is open.
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX webhook_listener_expires_at ON webhook_listener (expires_at);
ALTER TABLE webhook_listener ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON webhook_listener USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (expires_at) ON webhook_listener TO espalier_server;
INSERT INTO purged_table (name) VALUES ('webhook_listener');

-- As in 0060, and an event without an endpoint is kept while a terminal listens.
CREATE OR REPLACE FUNCTION emit_webhook_event(owner uuid, event uuid, event_type text, moment timestamptz, payload jsonb, cause jsonb)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    -- If an endpoint is being deleted at the same time, this waits and skips it. A missing receiver must not make the action fail.
    endpoints uuid[] := ARRAY(SELECT e.id FROM webhook_endpoint e
        WHERE e.tenant_id = owner AND e.status = 'enabled' AND event_type = ANY(e.events) ORDER BY e.id FOR KEY SHARE);
    is_heard  boolean := EXISTS (SELECT FROM webhook_listener l WHERE l.tenant_id = owner AND l.expires_at > moment);
    -- The endpoints that receive each session.
    singly    uuid[] := '{}';
    single    record;
    is_new    boolean := false;
BEGIN
    IF cardinality(endpoints) = 0 AND NOT is_heard THEN
        RETURN false;
    END IF;
    IF event_type = 'session.revoked' THEN
        singly := ARRAY(SELECT e.id FROM webhook_endpoint e
            WHERE e.tenant_id = owner AND e.id = ANY(endpoints) AND e.format = 'workos' ORDER BY e.id);
        endpoints := ARRAY(SELECT id FROM unnest(endpoints) AS id WHERE id <> ALL(singly) ORDER BY id);
    END IF;
    FOR single IN
        SELECT event AS id, payload AS data, endpoints AS receivers WHERE cardinality(endpoints) > 0 OR is_heard
        UNION ALL
        -- Version 7, like the event's: its milliseconds, and random bits.
        SELECT overlay(gen_random_uuid()::text PLACING left(event::text, 15) FROM 1 FOR 15)::uuid,
            payload || jsonb_build_object('revoked', 1, 'session_ids', jsonb_build_array(ended)), singly
        FROM jsonb_array_elements_text(payload->'session_ids') AS ended
        WHERE cardinality(singly) > 0 AND COALESCE(payload->>'reason', '') NOT IN ('user_deleted', 'account_deleted')
    LOOP
        INSERT INTO webhook_event (tenant_id, id, type, occurred_at, data, actor)
            VALUES (owner, single.id, event_type, moment, single.data, cause)
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

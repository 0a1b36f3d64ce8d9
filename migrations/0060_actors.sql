-- People as actors: the audit trail and webhooks name their session, a key names the person who issued it, and a change of what a person may
-- do reaches every process.

ALTER TABLE audit_event
    -- The session of the person, and the support access during which an operator acted.
    ADD COLUMN session_id        text,
    ADD COLUMN support_access_id text,
    ADD CONSTRAINT audit_event_session CHECK (length(session_id) <= 100 AND length(support_access_id) <= 100) NOT VALID;
GRANT INSERT (session_id, support_access_id) ON audit_event TO espalier_server;

-- The person who issued the key. Null for a key that another key or a command issued.
ALTER TABLE api_key ADD COLUMN issued_by uuid;
CREATE INDEX api_key_issued_by ON api_key (issued_by) WHERE issued_by IS NOT NULL;

-- The caller who caused the event. Null for acts of users, Apple and the system.
ALTER TABLE webhook_event ADD COLUMN actor jsonb;

-- Changes of people ------------------------------------------------------------------------------------------------------

-- These notifications name the person. A notification of the platform would empty all caches of every process at each sign-out.
CREATE FUNCTION person_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed jsonb := to_jsonb(COALESCE(NEW, OLD));
BEGIN
    PERFORM pg_notify('espalier_configuration', COALESCE(changed ->> 'person_id', changed ->> 'id'));
    RETURN NULL;
END
$$;
CREATE TRIGGER configuration_changed AFTER DELETE OR UPDATE OF ended_at, authenticated_at, methods ON person_session FOR EACH ROW
    WHEN (OLD.ended_at IS NULL) EXECUTE FUNCTION person_changed();
CREATE TRIGGER configuration_changed AFTER UPDATE OF sessions_valid_after ON person FOR EACH ROW EXECUTE FUNCTION person_changed();
DROP TRIGGER configuration_changed ON membership;
CREATE TRIGGER configuration_changed AFTER INSERT OR DELETE OR UPDATE OF role, role_id ON membership FOR EACH ROW
    EXECUTE FUNCTION person_changed();

CREATE FUNCTION role_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('espalier_configuration', person_id::text) FROM membership
        WHERE tenant_id = NEW.tenant_id AND role_id = NEW.id;
    RETURN NULL;
END
$$;
DROP TRIGGER configuration_changed ON custom_role;
CREATE TRIGGER configuration_changed AFTER UPDATE OF scopes ON custom_role FOR EACH ROW EXECUTE FUNCTION role_changed();

-- Audit trail ------------------------------------------------------------------------------------------------------------

-- As in 0004, and with the session and the support access if the event has one of them. So the hashes of all earlier events stay valid.
CREATE OR REPLACE FUNCTION audit_event_hash(event audit_event) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(COALESCE(event.previous_hash, '') || convert_to(string_agg(
        COALESCE(octet_length(field)::text || ':' || field, '-'), ',' ORDER BY position), 'UTF8'))
    FROM unnest(ARRAY[
        event.tenant_id::text, event.sequence::text, event.id::text,
        to_char(event.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
        event.actor, event.action, event.subject, event.address, event.request_id, event.before::text, event.after::text
    ] || CASE WHEN event.session_id IS NOT NULL OR event.support_access_id IS NOT NULL
        THEN ARRAY[event.session_id, event.support_access_id] ELSE '{}' END
    ) WITH ORDINALITY AS fields (field, position)
$$;

-- Whether a person has a session with this ID. The session may have ended, because its end is an act, too.
CREATE FUNCTION person_session_exists(session text, actor text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF actor !~ '^person_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$' OR session !~ '^personsession_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$' THEN
        RETURN false;
    END IF;
    RETURN EXISTS (SELECT FROM person_session AS s WHERE s.tenant_id = '00000000-0000-0000-0000-000000000000'
        AND s.id = private_id(session) AND s.person_id = private_id(actor));
END
$$;

-- As in 0025, except that it also checks the session.
CREATE OR REPLACE FUNCTION audit_event_chained() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    last record;
BEGIN
    IF NOT pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER') THEN
        IF current_setting('espalier.tenant', true) IN (NEW.tenant_id::text, 'platform') IS NOT TRUE THEN
            RAISE EXCEPTION 'this transaction is not for the trail of %', NEW.tenant_id USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF NOT audit_actor_exists(NEW.actor, NEW.tenant_id) THEN
            RAISE EXCEPTION 'the actor % does not exist', NEW.actor
                USING ERRCODE = 'check_violation', CONSTRAINT = 'audit_event_actor';
        END IF;
        IF NEW.session_id IS NOT NULL AND NOT person_session_exists(NEW.session_id, NEW.actor) THEN
            RAISE EXCEPTION 'the actor % has no session %', NEW.actor, NEW.session_id
                USING ERRCODE = 'check_violation', CONSTRAINT = 'audit_event_actor';
        END IF;
        NEW.occurred_at := believed_time(NEW.occurred_at);
        IF abs(('x' || left(replace(NEW.id::text, '-', ''), 12))::bit(48)::bigint - extract(epoch FROM NEW.occurred_at) * 1000) > 1000
        THEN
            NEW.id := uuid_at(NEW.occurred_at);
        END IF;
    END IF;
    -- One event of a tenant after the other, until the end of the transaction: each needs the one before it.
    PERFORM pg_advisory_xact_lock(1634755937, hashtext(NEW.tenant_id::text));
    SELECT sequence, hash INTO last FROM audit_event WHERE tenant_id = NEW.tenant_id ORDER BY sequence DESC LIMIT 1;
    NEW.sequence := COALESCE(last.sequence, 0) + 1;
    NEW.previous_hash := last.hash;
    NEW.hash := audit_event_hash(NEW);
    RETURN NEW;
END
$$;

-- Webhooks ---------------------------------------------------------------------------------------------------------------

-- For events without an actor, and for the previous version.
CREATE OR REPLACE FUNCTION emit_webhook_event(owner uuid, event uuid, event_type text, moment timestamptz, payload jsonb)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN emit_webhook_event(owner, event, event_type, moment, payload, NULL);
END
$$;

-- As in 0044, and with the actor of the event.
CREATE FUNCTION emit_webhook_event(owner uuid, event uuid, event_type text, moment timestamptz, payload jsonb, cause jsonb)
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

DO $$
DECLARE
    function text;
BEGIN
    -- Temporary tables come last, or a caller's own table would be in front.
    FOREACH function IN ARRAY ARRAY['person_changed()', 'role_changed()', 'person_session_exists(text, text)',
        'audit_event_chained()'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', function, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function);
    END LOOP;
END
$$;

-- What the REST API administers: tenants that can be deleted, applications of four kinds with secrets that roll, connections
-- with two keys and a doctor's report, an audit trail that shows tampering, webhooks, and requests that may be repeated.

-- Which kinds of change every process hears of. What is only noted in passing (last used, last checked) is not one: it would
-- empty every cache again and again.
DROP TRIGGER configuration_changed ON connection;
DROP TRIGGER configuration_changed ON apple_key;
DROP TRIGGER configuration_changed ON api_key;

-- Tenants ---------------------------------------------------------------------------------------------------------------

ALTER TABLE tenant
    DROP CONSTRAINT tenant_status_check,
    ADD CONSTRAINT tenant_status_check CHECK (status IN ('active', 'suspended', 'deleted', 'purged')),
    -- What it was before it was deleted, for its restoration; and until when it can be restored.
    ADD COLUMN status_before_deletion text CHECK (status_before_deletion IN ('active', 'suspended')),
    ADD COLUMN purge_after timestamptz,
    ADD CONSTRAINT tenant_deletion CHECK ((status = 'deleted') = (purge_after IS NOT NULL)),
    ADD CONSTRAINT tenant_restoration CHECK ((status = 'deleted') = (status_before_deletion IS NOT NULL));
CREATE INDEX tenant_purge ON tenant (purge_after) WHERE purge_after IS NOT NULL;
-- Of a tenant that went back to the shared connection: what `connection.relink_until` is of one of its own.
ALTER TABLE tenant ADD COLUMN shared_relink_until timestamptz;
GRANT UPDATE (status_before_deletion, purge_after, shared_relink_until) ON tenant TO espalier_server;

-- Whose time is up loses everything (purge_tenant, below). So that the server's role cannot do to the audit trail and the ledger
-- by this way what no grant lets it do, it can only set an end that lies a month ahead.
CREATE FUNCTION tenant_purge_after_checked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_has_role((SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER') THEN
        RAISE EXCEPTION 'a deleted tenant can be restored for 30 days' USING ERRCODE = 'check_violation', CONSTRAINT = 'tenant_grace';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenant_purge_after_checked BEFORE UPDATE ON tenant FOR EACH ROW
    WHEN (NEW.purge_after IS DISTINCT FROM OLD.purge_after AND NEW.purge_after < now() + interval '29 days')
    EXECUTE FUNCTION tenant_purge_after_checked();

-- What a purged tenant's usage amounted to: numbers, without its users.
CREATE TABLE purged_usage (
    tenant_id  uuid   NOT NULL,
    day        date   NOT NULL,
    kind       text   NOT NULL,
    connection text   NOT NULL,
    quantity   bigint NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (tenant_id, day, kind, connection)
);

-- Applications ----------------------------------------------------------------------------------------------------------

CREATE TABLE application_secret (
    tenant_id      uuid        NOT NULL,
    id             uuid        NOT NULL,
    application_id uuid        NOT NULL,
    digest         bytea       NOT NULL,
    last_four      text        NOT NULL CHECK (length(last_four) <= 4),
    created_at     timestamptz NOT NULL,
    -- Set when it is rolled: until then both serve.
    expires_at     timestamptz,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, application_id) REFERENCES application (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX application_secret_of ON application_secret (tenant_id, application_id);
INSERT INTO application_secret (tenant_id, id, application_id, digest, last_four, created_at)
    SELECT tenant_id, gen_random_uuid(), id, secret_digest, '', created_at FROM application WHERE secret_digest IS NOT NULL;

ALTER TABLE application
    DROP COLUMN secret_digest,
    DROP CONSTRAINT application_kind_check,
    DROP CONSTRAINT application_redirect_uris_check,
    DROP CONSTRAINT application_check1,
    ADD COLUMN logout_uris             text[]  NOT NULL DEFAULT '{}' CHECK (cardinality(logout_uris) <= 100),
    ADD COLUMN bundle_ids              text[]  NOT NULL DEFAULT '{}' CHECK (cardinality(bundle_ids) <= 20),
    -- A session ends after this long, and after this long without a refresh.
    ADD COLUMN session_seconds         integer NOT NULL DEFAULT 7776000 CHECK (session_seconds BETWEEN 300 AND 31536000),
    ADD COLUMN idle_seconds            integer NOT NULL DEFAULT 2592000 CHECK (idle_seconds BETWEEN 300 AND 31536000),
    ADD COLUMN signing_algorithm       text    NOT NULL DEFAULT 'ES256' CHECK (signing_algorithm IN ('ES256', 'RS256'));
UPDATE application SET kind = CASE
    WHEN kind = 'confidential' THEN 'web'
    WHEN EXISTS (SELECT FROM unnest(redirect_uris) AS uri WHERE uri NOT LIKE 'https:%') THEN 'native'
    ELSE 'spa' END;
ALTER TABLE application
    ADD CONSTRAINT application_kind_check CHECK (kind IN ('web', 'spa', 'native', 'machine')),
    ADD CONSTRAINT application_redirect_uris_check CHECK (cardinality(redirect_uris) <= 100
        AND (kind = 'machine') = (cardinality(redirect_uris) = 0)),
    ADD CONSTRAINT application_pkce CHECK (kind IN ('web', 'machine') OR requires_pkce);

ALTER TABLE signing_key
    DROP CONSTRAINT signing_key_algorithm_check,
    ADD CONSTRAINT signing_key_algorithm_check CHECK (algorithm IN ('ES256', 'RS256'));

-- Connections -----------------------------------------------------------------------------------------------------------

ALTER TABLE connection
    -- What mails the tenant's users through Apple's relay: domains or addresses.
    ADD COLUMN email_sources text[]      NOT NULL DEFAULT '{}' CHECK (cardinality(email_sources) <= 100),
    -- Until then a sign-in under this connection's team may take over the user that another team's identity belongs to.
    ADD COLUMN relink_until  timestamptz,
    -- The doctor's last word.
    ADD COLUMN checked_at    timestamptz,
    ADD COLUMN check_outcome text        CHECK (check_outcome IN ('passed', 'failed', 'unreachable')),
    ADD COLUMN check_steps   jsonb,
    ADD CONSTRAINT connection_check CHECK ((checked_at IS NULL) = (check_outcome IS NULL)),
    -- When the doctor comes by itself: the connections that are there at once, new ones a day after they were made. Who takes
    -- one moves this on, so that it comes back when that process dies.
    ADD COLUMN check_due_at     timestamptz NOT NULL DEFAULT now(),
    -- When somebody last asked for the doctor: Apple is not asked more often than every few seconds.
    ADD COLUMN check_claimed_at timestamptz;
ALTER TABLE connection ALTER COLUMN check_due_at SET DEFAULT now() + interval '1 day';
CREATE INDEX connection_check_due ON connection (check_due_at);

ALTER TABLE apple_key
    DROP CONSTRAINT apple_key_state_check,
    ADD CONSTRAINT apple_key_state_check CHECK (state IN ('next', 'current', 'previous', 'retired')),
    -- SHA-256 of the public half.
    ADD COLUMN fingerprint  bytea,
    -- When Apple last accepted what it signed.
    ADD COLUMN proven_at    timestamptz,
    ADD COLUMN last_used_at timestamptz,
    -- Of a previous key: how long it still stands in for a current one that Apple refuses.
    ADD COLUMN usable_until timestamptz,
    ADD CONSTRAINT apple_key_overlap CHECK ((state = 'previous') = (usable_until IS NOT NULL));
CREATE UNIQUE INDEX apple_key_previous ON apple_key (tenant_id, connection_id) WHERE state = 'previous';

CREATE TRIGGER configuration_changed AFTER INSERT OR DELETE
    OR UPDATE OF team_id, services_id, bundle_ids, relink_until ON connection
    FOR EACH ROW EXECUTE FUNCTION configuration_changed();
CREATE TRIGGER configuration_changed AFTER INSERT OR DELETE OR UPDATE OF sealed_pem, state, usable_until ON apple_key
    FOR EACH ROW EXECUTE FUNCTION configuration_changed();
CREATE TRIGGER configuration_changed AFTER INSERT OR DELETE OR UPDATE ON application_secret
    FOR EACH ROW EXECUTE FUNCTION configuration_changed();

-- Users and sessions ----------------------------------------------------------------------------------------------------

ALTER TABLE session
    DROP CONSTRAINT session_ended_reason_check,
    ADD CONSTRAINT session_ended_reason_check
        CHECK (ended_reason IN ('code_replayed', 'refresh_token_reused', 'revoked', 'user_deleted'));
-- For equality and for prefixes, whatever the database's collation. A column, not an expression: under row-level security an index
-- serves only what PostgreSQL calls leakproof, and lower() is not.
ALTER TABLE tenant_user ADD COLUMN email_key text COLLATE "C" GENERATED ALWAYS AS (lower(email)) STORED;
CREATE INDEX tenant_user_email ON tenant_user (tenant_id, email_key) WHERE email_key IS NOT NULL;
-- A user has one identity in a team: of two sign-ins that would take over the same user, one does.
DROP INDEX identity_by_user;
CREATE UNIQUE INDEX identity_by_user ON identity (tenant_id, user_id, team_id);

-- An id as it is written outside: the kind, and 26 characters of Crockford's base32.
CREATE FUNCTION public_id(kind text, id uuid) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT kind || '_' || string_agg(
        substr('0123456789abcdefghjkmnpqrstvwxyz', substring(bits FROM 5 * digit + 1 FOR 5)::bit(5)::integer + 1, 1), '' ORDER BY digit)
    FROM (SELECT B'00' || ('x' || replace(id::text, '-', ''))::bit(128) AS bits) AS uuid, generate_series(0, 25) AS digit
$$;

-- API keys --------------------------------------------------------------------------------------------------------------

ALTER TABLE api_key
    ADD COLUMN updated_at   timestamptz,
    ADD COLUMN last_used_at timestamptz,
    -- The key that took this one's place.
    ADD COLUMN rolled_to    uuid,
    -- When the tenant's webhooks heard that it expires.
    ADD COLUMN expiry_told_at timestamptz;
UPDATE api_key SET updated_at = COALESCE(revoked_at, created_at);
ALTER TABLE api_key ALTER COLUMN updated_at SET NOT NULL, ALTER COLUMN updated_at SET DEFAULT now();
CREATE INDEX api_key_expiring ON api_key (expires_at)
    WHERE expires_at IS NOT NULL AND revoked_at IS NULL AND rolled_to IS NULL AND expiry_told_at IS NULL;
CREATE TRIGGER configuration_changed AFTER INSERT OR DELETE OR UPDATE OF scopes, expires_at, revoked_at ON api_key
    FOR EACH ROW EXECUTE FUNCTION configuration_changed();

-- Audit -----------------------------------------------------------------------------------------------------------------

ALTER TABLE audit_event
    -- Where the request came from, and its id.
    ADD COLUMN address       text,
    ADD COLUMN request_id    text,
    -- What changed: never a secret.
    ADD COLUMN before        jsonb,
    ADD COLUMN after         jsonb,
    -- The tenant's events are a chain: each carries its number and the hash of the one before.
    ADD COLUMN sequence      bigint,
    ADD COLUMN previous_hash bytea,
    ADD COLUMN hash          bytea;

-- Each field with its length in front, so that no two events can be written alike.
CREATE FUNCTION audit_event_hash(event audit_event) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(COALESCE(event.previous_hash, '') || convert_to(string_agg(
        COALESCE(octet_length(field)::text || ':' || field, '-'), ',' ORDER BY position), 'UTF8'))
    FROM unnest(ARRAY[
        event.tenant_id::text, event.sequence::text, event.id::text,
        to_char(event.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
        event.actor, event.action, event.subject, event.address, event.request_id, event.before::text, event.after::text
    ]) WITH ORDINALITY AS fields (field, position)
$$;

CREATE FUNCTION audit_event_chained() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last record;
BEGIN
    -- One event of a tenant after the other, until the end of the transaction: each needs the one before it.
    PERFORM pg_advisory_xact_lock(1634755937, hashtext(NEW.tenant_id::text));
    SELECT sequence, hash INTO last FROM audit_event WHERE tenant_id = NEW.tenant_id ORDER BY sequence DESC LIMIT 1;
    NEW.sequence := COALESCE(last.sequence, 0) + 1;
    NEW.previous_hash := last.hash;
    NEW.hash := audit_event_hash(NEW);
    RETURN NEW;
END
$$;

DO $$
DECLARE
    event audit_event;
    last audit_event;
BEGIN
    FOR event IN SELECT * FROM audit_event ORDER BY tenant_id, occurred_at, id LOOP
        IF last.tenant_id IS DISTINCT FROM event.tenant_id THEN last := NULL; END IF;
        event.sequence := COALESCE(last.sequence, 0) + 1;
        event.previous_hash := last.hash;
        event.hash := audit_event_hash(event);
        UPDATE audit_event SET sequence = event.sequence, previous_hash = event.previous_hash, hash = event.hash
            WHERE tenant_id = event.tenant_id AND id = event.id;
        last := event;
    END LOOP;
END
$$;
ALTER TABLE audit_event ALTER COLUMN sequence SET NOT NULL, ALTER COLUMN hash SET NOT NULL;
CREATE UNIQUE INDEX audit_event_sequence ON audit_event (tenant_id, sequence);
CREATE INDEX audit_event_time ON audit_event (tenant_id, occurred_at);
CREATE TRIGGER audit_event_chained BEFORE INSERT ON audit_event FOR EACH ROW EXECUTE FUNCTION audit_event_chained();

-- Requests that may be repeated -----------------------------------------------------------------------------------------

CREATE TABLE idempotency_key (
    -- The caller's owner: a tenant, or the platform.
    tenant_id     uuid        NOT NULL,
    api_key_id    uuid        NOT NULL,
    -- SHA-256 of the key, the method and the path.
    digest        bytea       NOT NULL,
    body_digest   bytea       NOT NULL,
    created_at    timestamptz NOT NULL,
    -- While there is no answer, who runs the request has until then.
    locked_until  timestamptz NOT NULL,
    -- Status, headers and body, sealed: an answer may hold a secret that is shown once.
    sealed_answer bytea,
    PRIMARY KEY (tenant_id, api_key_id, digest)
);
CREATE INDEX idempotency_key_age ON idempotency_key (created_at);

-- What must happen after a commit ---------------------------------------------------------------------------------------

CREATE TABLE outbox (
    tenant_id  uuid        NOT NULL,
    id         uuid        NOT NULL,
    kind       text        NOT NULL,
    -- What the work is about: an id, never a secret.
    subject    uuid        NOT NULL,
    attempts   integer     NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    -- When it may be tried next. Who takes it moves this on, so that it comes back when that process dies.
    due_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX outbox_due ON outbox (due_at);

-- Wakes the workers when the transaction is committed: once, however many rows it wrote, and not at all when it wrote none.
CREATE FUNCTION outbox_grown() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('espalier_outbox', '');
    RETURN NULL;
END
$$;
CREATE TRIGGER outbox_grown AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION outbox_grown();

-- Webhooks --------------------------------------------------------------------------------------------------------------

CREATE TABLE webhook_endpoint (
    tenant_id       uuid        NOT NULL,
    id              uuid        NOT NULL,
    url             text        NOT NULL CHECK (length(url) <= 2000),
    description     text        CHECK (length(description) <= 200),
    events          text[]      NOT NULL CHECK (cardinality(events) BETWEEN 1 AND 50),
    status          text        NOT NULL CHECK (status IN ('enabled', 'disabled')),
    -- Why, when it was not the tenant's own doing.
    disabled_reason text        CHECK (disabled_reason IN ('gone', 'failing')),
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE TABLE webhook_secret (
    tenant_id     uuid        NOT NULL,
    id            uuid        NOT NULL,
    endpoint_id   uuid        NOT NULL,
    sealed_secret bytea       NOT NULL,
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoint (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX webhook_secret_of ON webhook_secret (tenant_id, endpoint_id);
CREATE TABLE webhook_event (
    tenant_id   uuid        NOT NULL,
    id          uuid        NOT NULL,
    type        text        NOT NULL,
    occurred_at timestamptz NOT NULL,
    data        jsonb       NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
-- For the removal of old ones, of all tenants together.
CREATE INDEX webhook_event_time ON webhook_event (occurred_at);
CREATE TABLE webhook_delivery (
    tenant_id    uuid        NOT NULL,
    id           uuid        NOT NULL,
    endpoint_id  uuid        NOT NULL,
    event_id     uuid        NOT NULL,
    state        text        NOT NULL CHECK (state IN ('pending', 'succeeded', 'failed')),
    attempts     integer     NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    -- Of a pending one.
    next_at      timestamptz,
    -- The last answer: a status, or why there was none.
    last_status  integer,
    last_error   text,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoint (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, event_id) REFERENCES webhook_event (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX webhook_delivery_of ON webhook_delivery (tenant_id, endpoint_id, id);
CREATE INDEX webhook_delivery_event ON webhook_delivery (tenant_id, event_id);

-- Tells an event in the transaction in which it happens: the event, one delivery for each endpoint that asked for its kind, and
-- the outbox's entry for each delivery. Nothing is written where nobody asked, nor for an event that is told already.
-- Answers whether anything was.
CREATE FUNCTION emit_webhook_event(owner uuid, event uuid, event_type text, moment timestamptz, payload jsonb)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    -- One that is being deleted at the same time is waited for, and passed over: what happened must not fail because nobody is
    -- there any more to hear of it.
    endpoints uuid[] := ARRAY(SELECT e.id FROM webhook_endpoint e
        WHERE e.tenant_id = owner AND e.status = 'enabled' AND event_type = ANY(e.events) ORDER BY e.id FOR KEY SHARE);
BEGIN
    IF cardinality(endpoints) = 0 THEN
        RETURN false;
    END IF;
    INSERT INTO webhook_event (tenant_id, id, type, occurred_at, data) VALUES (owner, event, event_type, moment, payload)
        ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    WITH delivery AS (
        INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, state, created_at, updated_at, next_at)
        -- Version 7, like the event's: its milliseconds, and random bits.
        SELECT owner, overlay(gen_random_uuid()::text PLACING left(event::text, 15) FROM 1 FOR 15)::uuid, endpoint, event, 'pending',
            moment, moment, moment
        FROM unnest(endpoints) AS endpoint
        RETURNING id)
    INSERT INTO outbox (tenant_id, id, kind, subject, created_at, due_at)
        SELECT owner, gen_random_uuid(), 'webhook', delivery.id, moment, moment FROM delivery;
    RETURN true;
END
$$;

-- Isolation and grants --------------------------------------------------------------------------------------------------

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['purged_usage', 'application_secret', 'idempotency_key', 'outbox', 'webhook_endpoint',
        'webhook_secret', 'webhook_event', 'webhook_delivery'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY tenant_isolation ON %I
            USING (current_setting(''espalier.tenant'', true) IN (tenant_id::text, ''platform''))', name);
    END LOOP;
END
$$;
GRANT SELECT, INSERT, UPDATE, DELETE ON application_secret, idempotency_key, outbox, webhook_endpoint, webhook_secret,
    webhook_delivery TO espalier_server;
GRANT SELECT, INSERT, DELETE ON webhook_event TO espalier_server;
GRANT SELECT ON purged_usage TO espalier_server;

-- Ends a deleted tenant whose time is up: all its data goes, its usage becomes numbers, and its row stays as a stone with its
-- slug, which stands in issuers and must never be another's. The one way to remove what the server's role may only append to:
-- it runs as the owner of the schema, whom row-level security does not bind, and decides by itself whether the time is up.
CREATE FUNCTION purge_tenant(purged uuid) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    name text;
BEGIN
    PERFORM FROM tenant WHERE id = purged AND status = 'deleted' AND purge_after <= clock_timestamp() FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- Removed and counted in one statement: no event is in the one and not in the other.
    WITH removed AS (
        DELETE FROM usage_event WHERE tenant_id = purged
        RETURNING (occurred_at AT TIME ZONE 'UTC')::date AS day, usage_event.kind, usage_event.connection
    )
    INSERT INTO purged_usage (tenant_id, day, kind, connection, quantity)
        SELECT purged, removed.day, removed.kind, removed.connection, count(*) FROM removed GROUP BY 2, 3, 4
        ON CONFLICT (tenant_id, day, kind, connection)
            DO UPDATE SET quantity = purged_usage.quantity + excluded.quantity;
    UPDATE tenant SET status = 'purged', name = slug, connection_id = NULL, purge_after = NULL, status_before_deletion = NULL,
        updated_at = GREATEST(clock_timestamp(), updated_at + interval '1 microsecond') WHERE id = purged;
    -- Every table of tenant data but the two above; what refers to another goes first.
    FOREACH name IN ARRAY ARRAY['session', 'identity', 'tenant_user', 'application_secret', 'application', 'apple_key',
        'connection', 'api_key', 'signing_key', 'idempotency_key', 'outbox', 'webhook_delivery', 'webhook_event',
        'webhook_secret', 'webhook_endpoint', 'audit_event'] LOOP
        EXECUTE format('DELETE FROM %I WHERE tenant_id = $1', name) USING purged;
    END LOOP;
    RETURN true;
END
$$;
-- What these three look up is the real tables: temporary ones come last, or a caller's own `tenant` would stand in front.
DO $$
DECLARE
    function text;
BEGIN
    FOREACH function IN ARRAY ARRAY['purge_tenant(uuid)', 'tenant_purge_after_checked()', 'audit_event_chained()'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', function, current_schema());
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION purge_tenant(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge_tenant(uuid) TO espalier_server;

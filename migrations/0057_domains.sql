-- The own host of the tenant at which a session started, and the one at which its application got the last tokens. Null for the public
-- URL. All id_tokens of a session have the issuer of the first one. A logout token has that of the last tokens.
ALTER TABLE session ADD COLUMN host text, ADD COLUMN last_host text;
GRANT UPDATE (last_host) ON session TO espalier_server;
ALTER TABLE backchannel_logout ADD COLUMN host text;

-- The session may be deleted before its logout token is sent, so the host is part of what is due.
CREATE OR REPLACE FUNCTION session_ended() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    logout uuid := gen_random_uuid();
BEGIN
    INSERT INTO revocation (tenant_id, id, recorded_at, user_id, session_id, application_id, revoked_at)
        VALUES (NEW.tenant_id, gen_random_uuid(), clock_timestamp(), NEW.user_id, NEW.id, NEW.application_id, NEW.ended_at);
    IF EXISTS (SELECT FROM application a
        WHERE a.tenant_id = NEW.tenant_id AND a.id = NEW.application_id AND a.backchannel_logout_uri IS NOT NULL)
    THEN
        INSERT INTO backchannel_logout (tenant_id, id, application_id, user_id, session_id, host, created_at)
            VALUES (NEW.tenant_id, logout, NEW.application_id, NEW.user_id, NEW.id, NEW.last_host, NEW.ended_at);
        INSERT INTO outbox (tenant_id, id, kind, subject, created_at, due_at)
            VALUES (NEW.tenant_id, gen_random_uuid(), 'backchannel_logout', logout, NEW.ended_at, NEW.ended_at);
    END IF;
    RETURN NULL;
END
$$;
-- The same search path as before, which a new body loses. Temporary tables come last in it.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION session_ended() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;

-- The own hosts of a tenant, such as login.customer.com. A tenant claims a host, and proves that it belongs to it.
CREATE TABLE domain (
    tenant_id     uuid        NOT NULL REFERENCES tenant (id),
    id            uuid        NOT NULL,
    -- In lower case, and ASCII.
    host          text        NOT NULL CHECK (host ~ '^[a-z0-9.-]+$' AND length(host) BETWEEN 3 AND 253),
    -- The value of the proof, which is public.
    token         text        NOT NULL CHECK (length(token) BETWEEN 20 AND 100),
    state         text        NOT NULL CHECK (state IN ('pending', 'active', 'failing', 'inactive')),
    is_primary    boolean     NOT NULL DEFAULT false,
    -- Whether the tenant's address below the public URL is switched off.
    is_exclusive  boolean     NOT NULL DEFAULT false,
    verified_at   timestamptz,
    -- When the proof was last looked for, and when it is the next time.
    checked_at    timestamptz,
    check_due_at  timestamptz NOT NULL,
    failing_since timestamptz,
    -- The time from which each look has found the proof. A cookie of the host is valid as long as this does not change.
    proved_since  timestamptz,
    -- When a claim without a proof ends.
    expires_at    timestamptz NOT NULL,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT domain_claim UNIQUE (tenant_id, host),
    CONSTRAINT domain_proof CHECK (state = 'pending' OR verified_at IS NOT NULL),
    CONSTRAINT domain_failure CHECK (state <> 'failing' OR failing_since IS NOT NULL),
    CONSTRAINT domain_since CHECK (state <> 'active' OR proved_since IS NOT NULL),
    CONSTRAINT domain_primary CHECK (NOT is_primary OR state IN ('active', 'failing')),
    CONSTRAINT domain_exclusive CHECK (NOT is_exclusive OR is_primary)
);
-- A host serves one tenant. Claims reserve nothing, so nobody can keep a host from its owner.
CREATE UNIQUE INDEX domain_host ON domain (host) WHERE state IN ('active', 'failing');
CREATE UNIQUE INDEX domain_one_primary ON domain (tenant_id) WHERE is_primary;
-- For the work on claims and proofs.
CREATE INDEX domain_claims ON domain (expires_at) WHERE state = 'pending';
CREATE INDEX domain_checks ON domain (check_due_at) WHERE state IN ('active', 'failing');

ALTER TABLE domain ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON domain USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
CREATE POLICY starts_pending ON domain AS RESTRICTIVE FOR INSERT WITH CHECK (state = 'pending');
GRANT SELECT, INSERT, DELETE, UPDATE (state, is_primary, is_exclusive, verified_at, checked_at, check_due_at, failing_since, proved_since,
    updated_at) ON domain TO espalier_server;

-- The servers have the proved hosts in memory. A claim changes none of them, so it notifies nobody.
CREATE TRIGGER configuration_changed AFTER UPDATE OF state, is_primary, is_exclusive ON domain FOR EACH ROW
    WHEN ((OLD.state IN ('active', 'failing') OR NEW.state IN ('active', 'failing'))
        AND (OLD.state, OLD.is_primary, OLD.is_exclusive) IS DISTINCT FROM (NEW.state, NEW.is_primary, NEW.is_exclusive))
    EXECUTE FUNCTION configuration_changed();
CREATE TRIGGER configuration_changed_by_deletion AFTER DELETE ON domain FOR EACH ROW
    WHEN (OLD.state <> 'pending')
    EXECUTE FUNCTION configuration_changed();

INSERT INTO purged_table (name) VALUES ('domain');

-- The proved hosts of deleted domains. Their DNS records may still lead here, so they serve nobody: a customer's host must not become a
-- name of the whole server. They belong to no tenant, and are forgotten after a year, when no certificate of that time is valid.
CREATE TABLE lost_host (
    tenant_id uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
        CHECK (tenant_id = '00000000-0000-0000-0000-000000000000'),
    host      text        NOT NULL,
    lost_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, host)
);
ALTER TABLE lost_host ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON lost_host USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, DELETE ON lost_host TO espalier_server;

-- A trigger, because the purge of a tenant deletes its domains too.
CREATE FUNCTION host_lost() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO lost_host (host, lost_at) VALUES (OLD.host, clock_timestamp())
        ON CONFLICT (tenant_id, host) DO UPDATE SET lost_at = EXCLUDED.lost_at;
    RETURN NULL;
END
$$;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION host_lost() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;
REVOKE ALL ON FUNCTION host_lost() FROM PUBLIC;
CREATE TRIGGER host_lost AFTER DELETE ON domain FOR EACH ROW WHEN (OLD.state <> 'pending') EXECUTE FUNCTION host_lost();

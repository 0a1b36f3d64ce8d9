-- Dynamic client registration (RFC 7591, RFC 7592).

-- A token with which software registers applications of a tenant, without an API key.
CREATE TABLE initial_access_token (
    tenant_id         uuid        NOT NULL REFERENCES tenant (id),
    id                uuid        NOT NULL,
    name              text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    digest            bytea       NOT NULL,
    bound_digest      bytea       NOT NULL,
    last_four         text        NOT NULL,
    -- The kinds of applications that it may register.
    kinds             text[]      NOT NULL CHECK (cardinality(kinds) BETWEEN 1 AND 4),
    -- Whether its applications of kind `web` must use PKCE.
    requires_pkce     boolean     NOT NULL,
    max_registrations integer     NOT NULL CHECK (max_registrations BETWEEN 1 AND 500),
    -- The constraint rejects one registration too many, even if two use the last one at the same time.
    registrations     integer     NOT NULL CHECK (registrations BETWEEN 0 AND max_registrations),
    expires_at        timestamptz NOT NULL,
    revoked_at        timestamptz,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT initial_access_token_digest UNIQUE (tenant_id, digest)
);
ALTER TABLE initial_access_token ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON initial_access_token
    USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, UPDATE (registrations, revoked_at, updated_at) ON initial_access_token TO espalier_server;

-- A revocation is final, an expiry only comes sooner, and a registration is not given back (0025).
CREATE TRIGGER credential_end_kept BEFORE UPDATE OF revoked_at, expires_at, registrations ON initial_access_token FOR EACH ROW
    WHEN (COALESCE(NEW.revoked_at, 'infinity') > COALESCE(OLD.revoked_at, 'infinity') OR NEW.expires_at > OLD.expires_at
        OR NEW.registrations < OLD.registrations)
    EXECUTE FUNCTION credential_end_kept();

-- Whether an owner has an initial access token with this ID.
CREATE FUNCTION initial_access_token_exists(token uuid, owner uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (SELECT FROM initial_access_token WHERE tenant_id = owner AND id = token);
END
$$;

-- As in 0025, and an actor is also an initial access token of the owner: the software that registers an application, and that changes and
-- deletes it.
CREATE OR REPLACE FUNCTION audit_actor_exists(actor text, owner uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF actor ~ '^apikey_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$' THEN
        RETURN EXISTS (SELECT FROM api_key
            WHERE tenant_id IN (owner, '00000000-0000-0000-0000-000000000000') AND id = private_id(actor));
    ELSIF actor ~ '^app_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$' THEN
        RETURN EXISTS (SELECT FROM application WHERE tenant_id = owner AND id = private_id(actor));
    ELSIF actor ~ '^iat_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$' THEN
        RETURN initial_access_token_exists(private_id(actor), owner);
    END IF;
    RETURN actor IN ('system', 'apple');
END
$$;

DO $$
DECLARE
    function text;
BEGIN
    FOREACH function IN ARRAY ARRAY['initial_access_token_exists(uuid, uuid)', 'audit_actor_exists(text, uuid)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', function, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function);
    END LOOP;
END
$$;

-- An application that registered itself: the token with which it manages its registration, and the metadata that `application` lacks.
CREATE TABLE client_registration (
    tenant_id               uuid        NOT NULL,
    application_id          uuid        NOT NULL,
    initial_access_token_id uuid        NOT NULL,
    digest                  bytea       NOT NULL,
    bound_digest            bytea       NOT NULL,
    metadata                jsonb       NOT NULL CHECK (jsonb_typeof(metadata) = 'object'),
    created_at              timestamptz NOT NULL,
    updated_at              timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, application_id),
    FOREIGN KEY (tenant_id, application_id) REFERENCES application (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, initial_access_token_id) REFERENCES initial_access_token (tenant_id, id)
);
ALTER TABLE client_registration ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON client_registration
    USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (metadata, updated_at) ON client_registration TO espalier_server;

-- `client_registration` refers to `initial_access_token`, so its rows are deleted first.
INSERT INTO purged_table (name) VALUES ('client_registration'), ('initial_access_token');

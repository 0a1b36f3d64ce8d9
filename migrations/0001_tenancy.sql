-- Who may sign users in, with which connection to Apple; who may call the REST API; who did what.
--
-- Isolation. Every table of tenant data begins its primary key with the tenant and compares it with
-- the setting `espalier.tenant` of the transaction: a tenant's id, or `platform` for work that spans
-- tenants. Unset, nothing is visible. The server's role owns nothing, so it cannot lift this.
--
-- The nil UUID stands for the platform where a row belongs to no tenant: the shared connection, its
-- keys, and the operators' API keys.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'espalier_server') THEN
        CREATE ROLE espalier_server NOLOGIN;
    END IF;
END
$$;

CREATE TABLE connection (
    tenant_id   uuid        NOT NULL,
    id          uuid        NOT NULL,
    team_id     text        NOT NULL CHECK (team_id ~ '^[A-Z0-9]{10}$'),
    services_id text        NOT NULL CHECK (services_id ~ '^[A-Za-z0-9][A-Za-z0-9.-]{0,254}$'),
    bundle_ids  text[]      NOT NULL DEFAULT '{}',
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
-- One shared connection.
CREATE UNIQUE INDEX connection_shared ON connection (tenant_id)
    WHERE tenant_id = '00000000-0000-0000-0000-000000000000';

CREATE TABLE apple_key (
    tenant_id     uuid        NOT NULL,
    id            uuid        NOT NULL,
    connection_id uuid        NOT NULL,
    key_id        text        NOT NULL CHECK (key_id ~ '^[A-Z0-9]{10}$'),
    sealed_pem    bytea       NOT NULL,
    state         text        NOT NULL CHECK (state IN ('next', 'current', 'retired')),
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, connection_id, key_id),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES connection (tenant_id, id) ON DELETE CASCADE
);
-- One key signs at a time: two racing rotations become one and a refusal.
CREATE UNIQUE INDEX apple_key_current ON apple_key (tenant_id, connection_id) WHERE state = 'current';

CREATE TABLE tenant (
    id            uuid        PRIMARY KEY CHECK (id <> '00000000-0000-0000-0000-000000000000'),
    slug          text        NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
    name          text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    plan          text        NOT NULL CHECK (plan IN ('free', 'scale', 'enterprise')),
    status        text        NOT NULL CHECK (status IN ('active', 'suspended')),
    -- The tenant's own connection, or null: the shared one serves.
    connection_id uuid,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    FOREIGN KEY (id, connection_id) REFERENCES connection (tenant_id, id)
);

CREATE TABLE application (
    tenant_id            uuid        NOT NULL REFERENCES tenant (id),
    id                   uuid        NOT NULL,
    name                 text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    kind                 text        NOT NULL CHECK (kind IN ('public', 'confidential')),
    secret_digest        bytea,
    redirect_uris        text[]      NOT NULL CHECK (cardinality(redirect_uris) BETWEEN 1 AND 100),
    requires_pkce        boolean     NOT NULL DEFAULT true,
    access_token_seconds integer     NOT NULL DEFAULT 3600 CHECK (access_token_seconds BETWEEN 60 AND 86400),
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CHECK ((kind = 'confidential') = (secret_digest IS NOT NULL)),
    CHECK (kind = 'confidential' OR requires_pkce)
);
-- Its id alone is the OAuth client_id, which is all that some applications know.
CREATE INDEX application_id ON application (id);

CREATE TABLE api_key (
    tenant_id  uuid        NOT NULL,
    id         uuid        NOT NULL,
    name       text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    digest     bytea       NOT NULL UNIQUE,
    last_four  text        NOT NULL CHECK (length(last_four) = 4),
    scopes     text[]      NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE audit_event (
    tenant_id   uuid        NOT NULL,
    id          uuid        NOT NULL,
    occurred_at timestamptz NOT NULL,
    actor       text        NOT NULL,
    action      text        NOT NULL,
    subject     text        NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

-- Every process keeps configuration in memory; this empties what has changed.
CREATE FUNCTION configuration_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed record := COALESCE(NEW, OLD);
BEGIN
    PERFORM pg_notify('espalier_configuration',
        CASE TG_TABLE_NAME WHEN 'tenant' THEN to_jsonb(changed) ->> 'id' ELSE to_jsonb(changed) ->> 'tenant_id' END);
    RETURN NULL;
END
$$;
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['connection', 'apple_key', 'tenant', 'application', 'api_key'] LOOP
        EXECUTE format('CREATE TRIGGER configuration_changed AFTER INSERT OR UPDATE OR DELETE ON %I
            FOR EACH ROW EXECUTE FUNCTION configuration_changed()', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['connection', 'apple_key', 'application', 'api_key', 'audit_event'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY tenant_isolation ON %I
            USING (current_setting(''espalier.tenant'', true) IN (tenant_id::text, ''platform''))', name);
    END LOOP;
END
$$;
ALTER TABLE tenant ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON tenant
    USING (current_setting('espalier.tenant', true) IN (id::text, 'platform'));

GRANT SELECT ON schema_migration TO espalier_server;
GRANT SELECT, INSERT, UPDATE, DELETE ON connection, apple_key, application, api_key TO espalier_server;
-- The slug is in issuers, Return URLs and tokens: no grant changes it.
GRANT SELECT, INSERT ON tenant TO espalier_server;
GRANT UPDATE (name, plan, status, connection_id, updated_at) ON tenant TO espalier_server;
-- What happened stays.
GRANT SELECT, INSERT ON audit_event TO espalier_server;

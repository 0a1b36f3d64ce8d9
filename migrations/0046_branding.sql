-- The look of a tenant's pages. A tenant without a row has the defaults.
CREATE TABLE branding (
    tenant_id        uuid        NOT NULL PRIMARY KEY REFERENCES tenant (id),
    -- Null for the tenant's name.
    display_name     text        CHECK (length(display_name) BETWEEN 1 AND 200),
    color            text        CHECK (color ~ '^#[0-9a-f]{6}$'),
    support_url      text        CHECK (length(support_url) <= 2000 AND support_url ~ '^(https://|mailto:)'),
    privacy_url      text        CHECK (length(privacy_url) <= 2000 AND privacy_url ~ '^https://'),
    terms_url        text        CHECK (length(terms_url) <= 2000 AND terms_url ~ '^https://'),
    default_language text        CHECK (length(default_language) BETWEEN 2 AND 35),
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL
);
ALTER TABLE branding ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON branding USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, UPDATE (display_name, color, support_url, privacy_url, terms_url, default_language, updated_at) ON branding
    TO espalier_server;
CREATE TRIGGER configuration_changed AFTER INSERT OR UPDATE OR DELETE ON branding
    FOR EACH ROW EXECUTE FUNCTION configuration_changed();

-- The logo of the pages. Each change of it also changes `branding.updated_at`, which notifies the servers. A trigger here would convert the
-- image to JSON.
CREATE TABLE logo (
    tenant_id  uuid    NOT NULL PRIMARY KEY REFERENCES branding (tenant_id),
    media_type text    NOT NULL CHECK (media_type IN ('image/png', 'image/svg+xml')),
    digest     bytea   NOT NULL CHECK (octet_length(digest) = 32),
    data       bytea   NOT NULL CHECK (octet_length(data) BETWEEN 1 AND 262144),
    -- So that no reader of the size reads the bytes.
    size       integer NOT NULL GENERATED ALWAYS AS (octet_length(data)) STORED
);
-- A PNG is compressed already.
ALTER TABLE logo ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE logo ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON logo USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (media_type, digest, data) ON logo TO espalier_server;

-- `logo` refers to `branding`, so its rows are deleted first.
INSERT INTO purged_table (name) VALUES ('logo'), ('branding');

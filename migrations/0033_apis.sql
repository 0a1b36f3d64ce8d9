-- A tenant's own APIs, which accept Espalier's access tokens: the audience of the tokens (RFC 8707, section 2), the scopes, and the
-- applications that may request them.
CREATE TABLE api (
    tenant_id            uuid        NOT NULL REFERENCES tenant (id),
    id                   uuid        NOT NULL,
    name                 text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    audience             text        NOT NULL CHECK (length(audience) BETWEEN 1 AND 500),
    scopes               text[]      NOT NULL CHECK (cardinality(scopes) <= 100),
    access_token_seconds integer     NOT NULL CHECK (access_token_seconds BETWEEN 60 AND 86400),
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    -- An audience stands for one API, because the token contains nothing else that names the API.
    CONSTRAINT api_audience UNIQUE (tenant_id, audience)
);
ALTER TABLE api ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON api USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (name, scopes, access_token_seconds, updated_at) ON api TO espalier_server;
CREATE TRIGGER configuration_changed AFTER INSERT OR UPDATE OR DELETE ON api FOR EACH ROW EXECUTE FUNCTION configuration_changed();

-- The applications that may request access tokens for an API.
CREATE TABLE api_application (
    tenant_id      uuid   NOT NULL,
    api_id         uuid   NOT NULL,
    application_id uuid   NOT NULL,
    -- Null stands for all scopes of the API, including later ones.
    scopes         text[],
    PRIMARY KEY (tenant_id, api_id, application_id),
    FOREIGN KEY (tenant_id, api_id) REFERENCES api (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, application_id) REFERENCES application (tenant_id, id) ON DELETE CASCADE
);
-- For the deletion of an application.
CREATE INDEX api_application_application ON api_application (tenant_id, application_id);
ALTER TABLE api_application ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON api_application USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE ON api_application TO espalier_server;
CREATE TRIGGER configuration_changed AFTER INSERT OR UPDATE OR DELETE ON api_application
    FOR EACH ROW EXECUTE FUNCTION configuration_changed();

-- `api_application` refers to `api`, so its rows are deleted first.
INSERT INTO purged_table (name) VALUES ('api_application'), ('api');

-- The APIs that a login was granted. Null for a login without any.
ALTER TABLE session ADD COLUMN api_ids uuid[];

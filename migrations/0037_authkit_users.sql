-- The values that an application stores with a user through WorkOS's interface. No other part of Espalier reads them.
CREATE TABLE authkit_user (
    tenant_id   uuid        NOT NULL,
    user_id     uuid        NOT NULL,
    -- The application's own ID of the user.
    external_id text        CHECK (length(external_id) BETWEEN 1 AND 128),
    metadata    jsonb       NOT NULL CHECK (jsonb_typeof(metadata) = 'object'),
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, user_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES tenant_user (tenant_id, id) ON DELETE CASCADE,
    CONSTRAINT authkit_user_external_id UNIQUE (tenant_id, external_id)
);
ALTER TABLE authkit_user ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON authkit_user USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, UPDATE (external_id, metadata, updated_at) ON authkit_user TO espalier_server;

INSERT INTO purged_table (name) VALUES ('authkit_user');

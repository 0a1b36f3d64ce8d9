-- The address of an application that the page of a logout loads in a frame (OpenID Connect Front-Channel Logout 1.0). Null for an
-- application that has none. A server of the previous version loads nothing.
ALTER TABLE application
    ADD COLUMN frontchannel_logout_uri text CHECK (length(frontchannel_logout_uri) BETWEEN 1 AND 2000),
    -- Whether this address gets the issuer and the ID of the session.
    ADD COLUMN frontchannel_logout_session_required boolean NOT NULL DEFAULT true;
GRANT UPDATE (frontchannel_logout_uri, frontchannel_logout_session_required) ON application TO espalier_server;

-- The consent of a user to an application of a third party, which a page of the sign-in asked for. A sign-in with Apple counts as consent,
-- too, and has no row.
CREATE TABLE consent (
    tenant_id      uuid        NOT NULL,
    user_id        uuid        NOT NULL,
    application_id uuid        NOT NULL,
    id             uuid        NOT NULL,
    -- Everything that the user allowed since the consent was last revoked, or last lost its effect.
    scopes         text[]      NOT NULL CHECK (cardinality(scopes) BETWEEN 1 AND 1000),
    api_ids        uuid[]      NOT NULL CHECK (cardinality(api_ids) <= 1000),
    given_at       timestamptz NOT NULL,
    -- The last time at which the tenant revoked it. A sign-in with Apple until then does not count either.
    revoked_at     timestamptz,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, user_id, application_id),
    CONSTRAINT consent_id UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES tenant_user (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, application_id) REFERENCES application (tenant_id, id) ON DELETE CASCADE
);
-- For the deletion of an application.
CREATE INDEX consent_by_application ON consent (tenant_id, application_id);
ALTER TABLE consent ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON consent USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, UPDATE (scopes, api_ids, given_at, revoked_at, updated_at) ON consent TO espalier_server;

INSERT INTO purged_table (name) VALUES ('consent');

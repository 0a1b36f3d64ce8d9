-- Requests to sign a user in on a device without a browser (RFC 8628): from the device's request until its codes expire, 10 minutes later.
-- Neither code is stored. The device code is a MAC over the ID, and the user code is a keyed digest.
CREATE TABLE device_authorization (
    tenant_id        uuid        NOT NULL,
    id               uuid        NOT NULL,
    application_id   uuid        NOT NULL,
    user_code_digest bytea       NOT NULL,
    scope            text        NOT NULL,
    -- The APIs that the sign-in is for. Null without any.
    api_ids          uuid[],
    -- The device that asked, for the person who decides.
    user_agent       text        CHECK (length(user_agent) <= 300),
    address          text        CHECK (length(address) <= 100),
    -- The network of an unauthenticated request, for its limit.
    network          text        CHECK (length(network) <= 100),
    state            text        NOT NULL CHECK (state IN ('pending', 'refused', 'approved', 'redeemed')),
    -- How long the device must wait between two polls.
    interval_seconds integer     NOT NULL CHECK (interval_seconds BETWEEN 1 AND 300),
    polled_at        timestamptz,
    created_at       timestamptz NOT NULL,
    expires_at       timestamptz NOT NULL,
    -- The login that the user approved, and the same sealed for this row. So nobody can approve a device by a change of its row.
    login_id         uuid,
    approved_login   text        CHECK (length(approved_login) <= 4096),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, application_id) REFERENCES application (tenant_id, id) ON DELETE CASCADE,
    CONSTRAINT device_authorization_user_code UNIQUE (tenant_id, user_code_digest),
    CONSTRAINT device_authorization_login CHECK ((state IN ('approved', 'redeemed')) = (login_id IS NOT NULL)),
    CONSTRAINT device_authorization_approved_login CHECK ((login_id IS NULL) = (approved_login IS NULL))
);
-- For the limits of an application and of a network.
CREATE INDEX device_authorization_application ON device_authorization (tenant_id, application_id, expires_at);
CREATE INDEX device_authorization_network ON device_authorization (tenant_id, network, expires_at);
-- For the deletion of old rows.
CREATE INDEX device_authorization_expires_at ON device_authorization (expires_at);
ALTER TABLE device_authorization ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON device_authorization
    USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (state, interval_seconds, polled_at, login_id, approved_login) ON device_authorization
    TO espalier_server;

INSERT INTO purged_table (name) VALUES ('device_authorization');

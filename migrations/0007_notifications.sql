-- What Apple tells us of its accounts: kept as it came, worked off by the outbox, and once more whenever somebody wants it.

CREATE TABLE apple_notification (
    -- Whose connection it came for: a tenant, or the platform.
    tenant_id      uuid        NOT NULL,
    id             uuid        NOT NULL,
    -- Apple's name for it. It is sent again under the same one.
    jti            text        NOT NULL CHECK (length(jti) BETWEEN 1 AND 255),
    type           text        NOT NULL CHECK (length(type) BETWEEN 1 AND 100),
    -- The Services ID or bundle ID it was sent to, and the teams of the connections that have it: one, and two after a transfer.
    client_id      text        NOT NULL,
    team_ids       text[]      NOT NULL CHECK (cardinality(team_ids) >= 1),
    apple_sub      text        CHECK (length(apple_sub) <= 255),
    -- By Apple's clock.
    event_at       timestamptz NOT NULL,
    -- Sealed, because it may hold an e-mail address.
    sealed_payload bytea       NOT NULL,
    received_at    timestamptz NOT NULL,
    -- Since when it is to be worked off: its arrival, or its last replay.
    waiting_since  timestamptz NOT NULL,
    state          text        NOT NULL CHECK (state IN ('pending', 'done')),
    outcome        text        CHECK (outcome IN ('applied', 'superseded', 'unknown_user', 'unknown_type', 'unreadable')),
    -- How many users it has reached: under the shared connection, one in each tenant at the most.
    users          integer     NOT NULL DEFAULT 0,
    attempts       integer     NOT NULL DEFAULT 0,
    updated_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CHECK (state <> 'done' OR outcome IS NOT NULL)
);
CREATE UNIQUE INDEX apple_notification_jti ON apple_notification (tenant_id, jti);
-- For the removal of old ones, of all owners together.
CREATE INDEX apple_notification_age ON apple_notification (received_at);

ALTER TABLE apple_notification ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON apple_notification
    USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, UPDATE, DELETE ON apple_notification TO espalier_server;

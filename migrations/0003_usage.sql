-- The ledger: one row a billable login, appended in the transaction that creates its session.

CREATE TABLE usage_event (
    tenant_id      uuid        NOT NULL,
    -- The login's id: recorded twice counts once.
    id             uuid        NOT NULL,
    kind           text        NOT NULL CHECK (kind IN ('login')),
    application_id uuid        NOT NULL,
    user_id        uuid        NOT NULL,
    connection     text        NOT NULL CHECK (connection IN ('own', 'shared')),
    occurred_at    timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX usage_event_time ON usage_event (tenant_id, occurred_at);

ALTER TABLE usage_event ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON usage_event
    USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));

-- Never edited, never deleted: a correction is another row.
GRANT SELECT, INSERT ON usage_event TO espalier_server;

-- Mails that wait for the mail server. The row and its entry in the outbox are written in the transaction that requires the mail. The row is
-- deleted when the server has accepted the mail, has refused it for good, or the mail has expired.
CREATE TABLE mail (
    -- A tenant, or the platform.
    tenant_id      uuid        NOT NULL,
    -- Also the ID of the outbox's entry.
    id             uuid        NOT NULL,
    -- Sealed, because it has an email address, and often a link that signs a user in.
    sealed_message bytea       NOT NULL,
    -- While a mail is `sending`, or after a process died or lost the response then, the server may have accepted it. Until an attempt sends
    -- the content, the mail is `waiting`.
    state          text        NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sending')),
    -- How many attempts ended without a known result.
    uncertain      integer     NOT NULL DEFAULT 0 CHECK (uncertain >= 0),
    -- The attempt that last sent the content, as the outbox counts it. A process that lost the mail to another one changes nothing.
    attempt        integer     NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    -- Nothing is sent from this time on.
    deliver_before timestamptz NOT NULL,
    created_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
-- For the deletion of expired mails, and the number of waiting ones.
CREATE INDEX mail_deliver_before ON mail (deliver_before);
ALTER TABLE mail ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON mail USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (state, uncertain, attempt) ON mail TO espalier_server;

-- The last results of the mail server, in one row of the platform. It has no address and nothing of a mail.
CREATE TABLE mail_status (
    tenant_id     uuid        PRIMARY KEY,
    sent_at       timestamptz,
    failed_at     timestamptz,
    failure       text        CHECK (length(failure) BETWEEN 1 AND 50),
    -- The code of the server's reply, if there was one.
    failure_reply integer     CHECK (failure_reply BETWEEN 200 AND 599),
    CONSTRAINT mail_status_failure CHECK ((failed_at IS NULL) = (failure IS NULL))
);
ALTER TABLE mail_status ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON mail_status USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, UPDATE (sent_at, failed_at, failure, failure_reply) ON mail_status TO espalier_server;

INSERT INTO purged_table (name) VALUES ('mail'), ('mail_status');

-- The sign-in of a browser at a tenant's issuer, which serves all applications of the tenant (single sign-on).

-- Whether a sign-in with Apple also signs the user in at the tenant's other applications. No tenant does this by default, as before.
ALTER TABLE tenant
    ADD COLUMN single_sign_on boolean NOT NULL DEFAULT false,
    -- A browser session ends after this long, and after this long without a use.
    ADD COLUMN browser_session_seconds integer NOT NULL DEFAULT 2592000 CHECK (browser_session_seconds BETWEEN 300 AND 31536000),
    ADD COLUMN browser_idle_seconds integer NOT NULL DEFAULT 86400 CHECK (browser_idle_seconds BETWEEN 300 AND 31536000);
GRANT UPDATE (single_sign_on, browser_session_seconds, browser_idle_seconds) ON tenant TO espalier_server;

-- Whether an application belongs to a third party. It gets no silent sign-in before the user has signed in to it with Apple.
ALTER TABLE application ADD COLUMN is_third_party boolean NOT NULL DEFAULT false;
GRANT UPDATE (is_third_party) ON application TO espalier_server;

-- Applications that registered themselves are of third parties.
UPDATE application SET is_third_party = true FROM client_registration AS registration
WHERE application.tenant_id = registration.tenant_id AND application.id = registration.application_id;

CREATE TABLE browser_session (
    tenant_id        uuid        NOT NULL,
    id               uuid        NOT NULL,
    user_id          uuid        NOT NULL,
    -- Which cookie of the session is valid now. The cookie is a MAC over tenant, session, user and generation, so nothing here helps to make
    -- one.
    generation       integer     NOT NULL,
    rotated_at       timestamptz NOT NULL,
    -- When a browser first presented the cookie that is valid now. Null until then, and the one before is valid too, because the response
    -- with the new one may be lost.
    presented_at     timestamptz,
    -- When Apple authenticated the user, and when Espalier admitted that sign-in.
    authenticated_at timestamptz NOT NULL,
    signed_in_at     timestamptz NOT NULL,
    created_at       timestamptz NOT NULL,
    last_used_at     timestamptz NOT NULL,
    expires_at       timestamptz NOT NULL,
    ended_at         timestamptz,
    ended_reason     text        CHECK (ended_reason IN ('logout', 'replaced', 'reused')),
    user_agent       text        CHECK (length(user_agent) <= 300),
    address          text        CHECK (length(address) <= 100),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT browser_session_end CHECK ((ended_at IS NULL) = (ended_reason IS NULL)),
    FOREIGN KEY (tenant_id, user_id) REFERENCES tenant_user (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE INDEX browser_session_by_user ON browser_session (tenant_id, user_id);
-- For the deletion of old rows.
CREATE INDEX browser_session_expires_at ON browser_session (expires_at);
ALTER TABLE browser_session ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON browser_session
    USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
CREATE POLICY starts_active ON browser_session AS RESTRICTIVE FOR INSERT WITH CHECK (ended_at IS NULL);
GRANT SELECT, INSERT, DELETE, UPDATE (generation, rotated_at, presented_at, authenticated_at, signed_in_at, last_used_at, expires_at,
    ended_at, ended_reason, user_agent, address) ON browser_session TO espalier_server;

-- An end is final, and a cookie that was replaced stays invalid (0029).
CREATE TRIGGER browser_session_end_kept BEFORE UPDATE OF ended_at, generation ON browser_session FOR EACH ROW
    WHEN (OLD.ended_at IS NOT NULL AND NEW.ended_at IS NULL OR NEW.generation < OLD.generation)
    EXECUTE FUNCTION credential_end_kept();

INSERT INTO purged_table (name) VALUES ('browser_session');

-- The browser session that a session belongs to, so that a logout ends both. Null for a sign-in on a device, and without single sign-on.
-- Whether the session started without Apple. Such a session does not count as a login, and its tenant is not charged for it.
ALTER TABLE session
    ADD COLUMN browser_session_id uuid,
    ADD COLUMN is_silent boolean;

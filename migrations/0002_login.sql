-- Users and what Apple calls them, their sessions, and the keys that sign our tokens.
--
-- What every login writes has no foreign key to its tenant or application: PostgreSQL would lock that one
-- row for each of them, and a tenant's logins would queue up behind one another. The server has both at
-- hand when it writes, and neither is deleted while it has users.

CREATE TABLE tenant_user (
    tenant_id        uuid        NOT NULL,
    id               uuid        NOT NULL,
    -- The name arrives once, in the first POST from Apple, and never again.
    given_name       text,
    family_name      text,
    -- The e-mail is only ever the one in a verified id_token.
    email            text,
    email_verified   boolean     NOT NULL DEFAULT false,
    is_private_email boolean     NOT NULL DEFAULT false,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE identity (
    tenant_id            uuid        NOT NULL,
    team_id              text        NOT NULL,
    apple_sub            text        NOT NULL,
    user_id              uuid        NOT NULL,
    -- Kept for revocation at Apple, which wants the client that obtained it.
    sealed_refresh_token bytea,
    apple_client_id      text        NOT NULL,
    created_at           timestamptz NOT NULL,
    last_login_at        timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, team_id, apple_sub),
    FOREIGN KEY (tenant_id, user_id) REFERENCES tenant_user (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE INDEX identity_by_user ON identity (tenant_id, user_id);

-- A session's id is the id of the login it began with: a code redeemed twice meets its own row.
CREATE TABLE session (
    tenant_id          uuid        NOT NULL,
    id                 uuid        NOT NULL,
    application_id     uuid        NOT NULL,
    user_id            uuid        NOT NULL,
    scope              text        NOT NULL,
    created_at         timestamptz NOT NULL,
    expires_at         timestamptz NOT NULL,
    -- Which refresh token of the session is good now. The token itself is a MAC over tenant, session
    -- and generation: nothing here helps to make one.
    refresh_generation integer     NOT NULL DEFAULT 0,
    refreshed_at       timestamptz NOT NULL,
    ended_at           timestamptz,
    ended_reason       text CHECK (ended_reason IN ('code_replayed', 'refresh_token_reused')),
    PRIMARY KEY (tenant_id, id),
    CHECK ((ended_at IS NULL) = (ended_reason IS NULL)),
    FOREIGN KEY (tenant_id, user_id) REFERENCES tenant_user (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE INDEX session_by_user ON session (tenant_id, user_id);

CREATE TABLE signing_key (
    tenant_id      uuid        NOT NULL REFERENCES tenant (id),
    id             uuid        NOT NULL,
    algorithm      text        NOT NULL CHECK (algorithm IN ('ES256')),
    sealed_private bytea       NOT NULL,
    state          text        NOT NULL CHECK (state IN ('next', 'current', 'retired')),
    created_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX signing_key_current ON signing_key (tenant_id, algorithm) WHERE state = 'current';

CREATE TRIGGER configuration_changed AFTER INSERT OR UPDATE OR DELETE ON signing_key
    FOR EACH ROW EXECUTE FUNCTION configuration_changed();

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['tenant_user', 'identity', 'session', 'signing_key'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY tenant_isolation ON %I
            USING (current_setting(''espalier.tenant'', true) IN (tenant_id::text, ''platform''))', name);
    END LOOP;
END
$$;

GRANT SELECT, INSERT, UPDATE, DELETE ON tenant_user, identity, session, signing_key TO espalier_server;

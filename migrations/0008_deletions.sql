-- Deletions of users, and what became of them at Apple.

-- For whoever asks later: App Review, a supervisor, the person. Nothing in it says who it was.
CREATE TABLE user_deletion (
    tenant_id    uuid        NOT NULL,
    id           uuid        NOT NULL,
    user_id      uuid        NOT NULL,
    requester    text        NOT NULL CHECK (requester IN ('user', 'api')),
    -- The id of the application whose token it was, or of the API key.
    requested_by text        NOT NULL,
    requested_at timestamptz NOT NULL,
    -- When there was nothing left to do at Apple.
    finished_at  timestamptz,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
-- Nobody is deleted twice.
CREATE UNIQUE INDEX user_deletion_of ON user_deletion (tenant_id, user_id);

-- One grant of a deleted user's that is to be revoked at Apple: one for each team.
CREATE TABLE apple_revocation (
    tenant_id     uuid        NOT NULL,
    id            uuid        NOT NULL,
    deletion_id   uuid        NOT NULL,
    team_id       text        NOT NULL,
    -- Whom Apple gave the refresh token to.
    client_id     text        NOT NULL,
    -- What Apple calls the user, and the refresh token. Goes as soon as it is of no use.
    sealed_grant  bytea,
    status        text        NOT NULL CHECK (status IN ('pending', 'revoked', 'kept', 'not_needed', 'impossible')),
    reason        text        CHECK (reason IN ('apple_unavailable', 'credentials_refused', 'refused', 'no_credentials', 'used_elsewhere',
        'signed_up_again', 'consent_ended', 'no_refresh_token', 'token_unreadable')),
    -- How often Apple was asked, and when it was last.
    attempts      integer     NOT NULL DEFAULT 0,
    last_tried_at timestamptz,
    -- Since when there has been nothing to ask Apple with.
    waiting_since timestamptz,
    concluded_at  timestamptz,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, deletion_id) REFERENCES user_deletion (tenant_id, id) ON DELETE CASCADE,
    CONSTRAINT apple_revocation_grant CHECK ((status = 'pending') = (sealed_grant IS NOT NULL)),
    CONSTRAINT apple_revocation_concluded CHECK ((status = 'pending') = (concluded_at IS NULL))
);
CREATE INDEX apple_revocation_of ON apple_revocation (tenant_id, deletion_id);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['user_deletion', 'apple_revocation'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY tenant_isolation ON %I
            USING (current_setting(''espalier.tenant'', true) IN (tenant_id::text, ''platform''))', name);
    END LOOP;
END
$$;
-- A record that could be removed would prove nothing.
GRANT SELECT, INSERT, UPDATE ON user_deletion, apple_revocation TO espalier_server;

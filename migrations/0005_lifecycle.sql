-- What comes after a login: sessions that say where they are and end together, a feed of what was revoked, logouts that reach
-- applications, identities whose consent can end at Apple, users that Apple has deleted.

-- Tenants ---------------------------------------------------------------------------------------------------------------

ALTER TABLE tenant
    -- No session of the tenant's lasts longer, nor so long without a refresh, whatever its application says. Null: no limit of its own.
    ADD COLUMN session_seconds        integer CHECK (session_seconds BETWEEN 300 AND 31536000),
    ADD COLUMN idle_seconds           integer CHECK (idle_seconds BETWEEN 300 AND 31536000),
    -- How long the profile of a user whose Apple account is deleted is kept.
    ADD COLUMN profile_retention_days integer NOT NULL DEFAULT 30 CHECK (profile_retention_days BETWEEN 0 AND 3650),
    -- How long a signing key signs.
    ADD COLUMN signing_key_days       integer NOT NULL DEFAULT 90 CHECK (signing_key_days BETWEEN 1 AND 3650),
    -- Codes that were issued to its users before this time get no tokens: everybody was signed out.
    ADD COLUMN tokens_valid_after     timestamptz;
GRANT UPDATE (session_seconds, idle_seconds, profile_retention_days, signing_key_days, tokens_valid_after) ON tenant TO espalier_server;

ALTER TABLE application
    -- Where it hears that a session of its users has ended (OpenID Connect Back-Channel Logout).
    ADD COLUMN backchannel_logout_uri text CHECK (length(backchannel_logout_uri) <= 2000);

-- Users and identities --------------------------------------------------------------------------------------------------

ALTER TABLE tenant_user
    -- What was issued for the user before this time is good for nothing any more: codes, sessions, tokens.
    ADD COLUMN tokens_valid_after timestamptz,
    -- When Apple said that the account is deleted, and when the profile goes with it.
    ADD COLUMN deleted_at         timestamptz,
    ADD COLUMN erase_after        timestamptz,
    ADD CONSTRAINT tenant_user_deleted CHECK ((deleted_at IS NULL) = (erase_after IS NULL)),
    -- Whether the user has stopped what Apple's relay forwards, and when, by Apple's clock, we last heard of it.
    ADD COLUMN email_disabled     boolean     NOT NULL DEFAULT false,
    ADD COLUMN email_event_at     timestamptz;
CREATE INDEX tenant_user_erase ON tenant_user (erase_after) WHERE erase_after IS NOT NULL;

ALTER TABLE identity
    -- By Apple's clock: when it last vouched for the user, and when the user's consent ended. What Apple vouched for before it
    -- ended counts for nothing, whichever of the two reaches us first.
    ADD COLUMN vouched_at timestamptz,
    ADD COLUMN revoked_at timestamptz;
-- One event of Apple's about the shared connection concerns the identity in every tenant.
CREATE INDEX identity_by_subject ON identity (team_id, apple_sub);

-- Sessions --------------------------------------------------------------------------------------------------------------

ALTER TABLE session
    -- Where it began: the browser's or the application's own word, and the address it came from.
    ADD COLUMN user_agent text CHECK (length(user_agent) <= 300),
    ADD COLUMN address    text CHECK (length(address) <= 100),
    -- When Apple authenticated the user, for the id_tokens of later.
    ADD COLUMN authenticated_at timestamptz,
    DROP CONSTRAINT session_ended_reason_check,
    ADD CONSTRAINT session_ended_reason_check CHECK (ended_reason IN ('code_replayed', 'refresh_token_reused', 'revoked', 'user_deleted',
        'logout', 'token_revoked', 'consent_revoked', 'account_deleted'));

-- A session and when it ends unless it is used before. An application that is gone leaves what applications have by default.
CREATE VIEW session_life WITH (security_invoker = true) AS
    SELECT s.*, LEAST(s.expires_at, s.created_at + make_interval(secs => t.session_seconds),
        s.refreshed_at + make_interval(secs => LEAST(COALESCE(a.idle_seconds, 2592000), t.idle_seconds))) AS ends_at
    FROM session s JOIN tenant t ON t.id = s.tenant_id
    LEFT JOIN application a ON a.tenant_id = s.tenant_id AND a.id = s.application_id;
GRANT SELECT ON session_life TO espalier_server;

-- What may be presented once: digests of id_tokens and nonces that native applications have sent.
CREATE TABLE single_use (
    tenant_id  uuid        NOT NULL,
    digest     bytea       NOT NULL,
    -- From then on it would be refused anyway.
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, digest)
);
CREATE INDEX single_use_expired ON single_use (expires_at);

-- What resource servers hear of, since access tokens outlive their sessions: one session ended, or whatever a user had until then.
-- Kept for as long as an access token may live.
CREATE TABLE revocation (
    tenant_id      uuid        NOT NULL,
    id             uuid        NOT NULL,
    recorded_at    timestamptz NOT NULL,
    user_id        uuid        NOT NULL,
    -- One session, and its application's. Null: every session of the user that began before.
    session_id     uuid,
    application_id uuid,
    revoked_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX revocation_order ON revocation (tenant_id, recorded_at, id);
CREATE INDEX revocation_age ON revocation (recorded_at);

-- A logout token that an application is owed.
CREATE TABLE backchannel_logout (
    tenant_id      uuid        NOT NULL,
    id             uuid        NOT NULL,
    application_id uuid        NOT NULL,
    user_id        uuid        NOT NULL,
    session_id     uuid        NOT NULL,
    created_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

-- Whoever ends a session, and for whatever reason: nobody can forget to tell.
CREATE FUNCTION session_ended() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    logout uuid := gen_random_uuid();
BEGIN
    INSERT INTO revocation (tenant_id, id, recorded_at, user_id, session_id, application_id, revoked_at)
        VALUES (NEW.tenant_id, gen_random_uuid(), clock_timestamp(), NEW.user_id, NEW.id, NEW.application_id, NEW.ended_at);
    IF EXISTS (SELECT FROM application a
        WHERE a.tenant_id = NEW.tenant_id AND a.id = NEW.application_id AND a.backchannel_logout_uri IS NOT NULL)
    THEN
        INSERT INTO backchannel_logout (tenant_id, id, application_id, user_id, session_id, created_at)
            VALUES (NEW.tenant_id, logout, NEW.application_id, NEW.user_id, NEW.id, NEW.ended_at);
        INSERT INTO outbox (tenant_id, id, kind, subject, created_at, due_at)
            VALUES (NEW.tenant_id, gen_random_uuid(), 'backchannel_logout', logout, NEW.ended_at, NEW.ended_at);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER session_ended AFTER UPDATE OF ended_at ON session FOR EACH ROW
    WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION session_ended();

CREATE FUNCTION user_tokens_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO revocation (tenant_id, id, recorded_at, user_id, revoked_at)
        VALUES (NEW.tenant_id, gen_random_uuid(), clock_timestamp(), NEW.id, NEW.tokens_valid_after);
    RETURN NULL;
END
$$;
CREATE TRIGGER user_tokens_ended AFTER UPDATE OF tokens_valid_after ON tenant_user FOR EACH ROW
    WHEN (NEW.tokens_valid_after IS NOT NULL AND NEW.tokens_valid_after IS DISTINCT FROM OLD.tokens_valid_after)
    EXECUTE FUNCTION user_tokens_ended();

-- Isolation and grants --------------------------------------------------------------------------------------------------

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['single_use', 'revocation', 'backchannel_logout'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY tenant_isolation ON %I
            USING (current_setting(''espalier.tenant'', true) IN (tenant_id::text, ''platform''))', name);
    END LOOP;
END
$$;
GRANT SELECT, INSERT, DELETE ON single_use, revocation, backchannel_logout TO espalier_server;

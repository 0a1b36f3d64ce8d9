-- People: operators, and members of tenants. A person has one account for all of them. So the account and everything that proves the person
-- belong to the platform, and no tenant reads them. A membership, an invitation and a role belong to the tenant, and those of operators
-- belong to the platform.

-- The roles that a tenant defines. The code has the others.
CREATE TABLE custom_role (
    tenant_id  uuid        NOT NULL REFERENCES tenant (id),
    id         uuid        NOT NULL,
    name       text        NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
    scopes     text[]      NOT NULL CHECK (cardinality(scopes) BETWEEN 1 AND 100),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT custom_role_name UNIQUE (tenant_id, name)
);
ALTER TABLE custom_role ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON custom_role USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (name, scopes, updated_at) ON custom_role TO espalier_server;

-- Accounts ---------------------------------------------------------------------------------------------------------------

CREATE TABLE person (
    tenant_id           uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
        CHECK (tenant_id = '00000000-0000-0000-0000-000000000000'),
    id                  uuid        NOT NULL,
    name                text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    email               text        NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    -- Only the letters A to Z have the same key as a to z.
    email_key           text        COLLATE "C" GENERATED ALWAYS AS (lower(email COLLATE "C")) STORED,
    -- When the person last proved to read the mailbox. Null for an address that was only entered.
    email_proved_at     timestamptz,
    -- The hash of the password, sealed, so that a copy of the database does not help to guess it. Null for a person without a password.
    sealed_password     bytea,
    password_changed_at timestamptz,
    -- Wrong passwords and wrong codes since the last right one. They slow the next attempts down.
    password_failures   integer     NOT NULL DEFAULT 0 CHECK (password_failures >= 0),
    password_failed_at  timestamptz,
    code_failures       integer     NOT NULL DEFAULT 0 CHECK (code_failures >= 0),
    code_failed_at      timestamptz,
    -- Sessions from before this time have ended.
    sessions_valid_after timestamptz,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT person_email UNIQUE (tenant_id, email_key),
    CONSTRAINT person_password CHECK ((sealed_password IS NULL) = (password_changed_at IS NULL))
);
ALTER TABLE person ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON person USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (name, email, email_proved_at, sealed_password, password_changed_at, password_failures,
    password_failed_at, code_failures, code_failed_at, sessions_valid_after, updated_at) ON person TO espalier_server;

-- A continuing sign-in of a person, in a browser or in a terminal.
CREATE TABLE person_session (
    tenant_id        uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
        CHECK (tenant_id = '00000000-0000-0000-0000-000000000000'),
    id               uuid        NOT NULL,
    person_id        uuid        NOT NULL,
    kind             text        NOT NULL CHECK (kind IN ('browser', 'terminal')),
    digest           bytea       NOT NULL,
    bound_digest     bytea       NOT NULL,
    -- How the person signed in (RFC 8176).
    methods          text[]      NOT NULL CHECK (cardinality(methods) BETWEEN 1 AND 10),
    -- The only tenant that the session acts for, because the tenant's own provider signed the person in. Null for all memberships.
    only_tenant_id   uuid,
    -- When the person last gave all factors.
    authenticated_at timestamptz NOT NULL,
    created_at       timestamptz NOT NULL,
    last_used_at     timestamptz NOT NULL,
    expires_at       timestamptz NOT NULL,
    ended_at         timestamptz,
    ended_reason     text        CHECK (ended_reason IN ('sign_out', 'ended', 'replaced', 'reused', 'password_changed')),
    user_agent       text        CHECK (length(user_agent) <= 300),
    address          text        CHECK (length(address) <= 100),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT person_session_digest UNIQUE (tenant_id, digest),
    CONSTRAINT person_session_end CHECK ((ended_at IS NULL) = (ended_reason IS NULL)),
    FOREIGN KEY (tenant_id, person_id) REFERENCES person (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE INDEX person_session_of ON person_session (tenant_id, person_id);
-- For the deletion of old rows.
CREATE INDEX person_session_expires_at ON person_session (expires_at);
ALTER TABLE person_session ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON person_session USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
CREATE POLICY starts_active ON person_session AS RESTRICTIVE FOR INSERT WITH CHECK (ended_at IS NULL);
GRANT SELECT, INSERT, DELETE, UPDATE (methods, authenticated_at, last_used_at, ended_at, ended_reason, user_agent, address)
    ON person_session TO espalier_server;
-- An end is final (0025).
CREATE TRIGGER person_session_end_kept BEFORE UPDATE OF ended_at ON person_session FOR EACH ROW
    WHEN (OLD.ended_at IS NOT NULL AND NEW.ended_at IS NULL)
    EXECUTE FUNCTION credential_end_kept();

-- The secret for time-based codes (RFC 6238).
CREATE TABLE person_totp (
    tenant_id     uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
        CHECK (tenant_id = '00000000-0000-0000-0000-000000000000'),
    id            uuid        NOT NULL,
    person_id     uuid        NOT NULL,
    sealed_secret bytea       NOT NULL,
    -- The time step of the last accepted code. A code of this step or an earlier one is not accepted again.
    last_step     bigint,
    -- When the person first gave a right code. Until then, no sign-in asks for one.
    confirmed_at  timestamptz,
    created_at    timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT person_totp_one UNIQUE (tenant_id, person_id),
    FOREIGN KEY (tenant_id, person_id) REFERENCES person (tenant_id, id) ON DELETE CASCADE
);
ALTER TABLE person_totp ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON person_totp USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (sealed_secret, last_step, confirmed_at) ON person_totp TO espalier_server;

-- A step that was used stays used.
CREATE TRIGGER person_totp_step_kept BEFORE UPDATE OF last_step ON person_totp FOR EACH ROW
    WHEN (COALESCE(NEW.last_step, -1) < OLD.last_step)
    EXECUTE FUNCTION credential_end_kept();

-- The public key of an authenticator (Web Authentication Level 3).
CREATE TABLE passkey (
    tenant_id          uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
        CHECK (tenant_id = '00000000-0000-0000-0000-000000000000'),
    id                 uuid        NOT NULL,
    person_id          uuid        NOT NULL,
    credential_id      bytea       NOT NULL CHECK (length(credential_id) BETWEEN 1 AND 1023),
    -- The COSE key as the authenticator sent it.
    public_key         bytea       NOT NULL CHECK (length(public_key) BETWEEN 32 AND 1024),
    -- The model of the authenticator. Nothing proves it.
    aaguid             bytea       NOT NULL CHECK (length(aaguid) = 16),
    sign_count         bigint      NOT NULL CHECK (sign_count BETWEEN 0 AND 4294967295),
    -- Whether the key may be copied to other devices of the person, and whether it was.
    is_backup_eligible boolean     NOT NULL,
    is_backed_up       boolean     NOT NULL,
    transports         text[]      NOT NULL CHECK (cardinality(transports) <= 10),
    -- The name that the person gave it.
    name               text        NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    created_at         timestamptz NOT NULL,
    last_used_at       timestamptz,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT passkey_credential UNIQUE (tenant_id, credential_id),
    FOREIGN KEY (tenant_id, person_id) REFERENCES person (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX passkey_of ON passkey (tenant_id, person_id);
ALTER TABLE passkey ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON passkey USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (sign_count, is_backed_up, name, last_used_at) ON passkey TO espalier_server;

-- The codes for a person without the other second factors.
CREATE TABLE recovery_code (
    tenant_id  uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
        CHECK (tenant_id = '00000000-0000-0000-0000-000000000000'),
    id         uuid        NOT NULL,
    person_id  uuid        NOT NULL,
    digest     bytea       NOT NULL,
    used_at    timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT recovery_code_digest UNIQUE (tenant_id, person_id, digest),
    FOREIGN KEY (tenant_id, person_id) REFERENCES person (tenant_id, id) ON DELETE CASCADE
);
ALTER TABLE recovery_code ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON recovery_code USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (used_at) ON recovery_code TO espalier_server;
CREATE TRIGGER recovery_code_end_kept BEFORE UPDATE OF used_at ON recovery_code FOR EACH ROW
    WHEN (OLD.used_at IS NOT NULL AND NEW.used_at IS DISTINCT FROM OLD.used_at)
    EXECUTE FUNCTION credential_end_kept();

-- Memberships and invitations --------------------------------------------------------------------------------------------

CREATE TABLE membership (
    -- The tenant, or the platform for an operator.
    tenant_id  uuid        NOT NULL,
    id         uuid        NOT NULL,
    person_id  uuid        NOT NULL,
    role       text        NOT NULL CHECK (role IN ('operator', 'owner', 'admin', 'developer', 'billing', 'viewer', 'custom')),
    -- The role `custom`.
    role_id    uuid,
    -- Copies of the account, which triggers write. A tenant does not see accounts.
    email      text        NOT NULL,
    name       text        NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT membership_person UNIQUE (tenant_id, person_id),
    CONSTRAINT membership_operator CHECK ((role = 'operator') = (tenant_id = '00000000-0000-0000-0000-000000000000')),
    CONSTRAINT membership_role CHECK ((role = 'custom') = (role_id IS NOT NULL)),
    CONSTRAINT membership_custom_role FOREIGN KEY (tenant_id, role_id) REFERENCES custom_role (tenant_id, id)
);
-- For a person's tenants, and for the deletion of a role.
CREATE INDEX membership_of_person ON membership (person_id);
CREATE INDEX membership_with_role ON membership (tenant_id, role_id) WHERE role_id IS NOT NULL;
ALTER TABLE membership ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON membership USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (role, role_id, updated_at) ON membership TO espalier_server;

-- A link with which one person becomes a member.
CREATE TABLE invitation (
    tenant_id    uuid        NOT NULL,
    id           uuid        NOT NULL,
    email        text        NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    email_key    text        COLLATE "C" GENERATED ALWAYS AS (lower(email COLLATE "C")) STORED,
    role         text        NOT NULL CHECK (role IN ('operator', 'owner', 'admin', 'developer', 'billing', 'viewer', 'custom')),
    role_id      uuid,
    digest       bytea       NOT NULL,
    bound_digest bytea       NOT NULL,
    -- The mail with the link, if there is one.
    mail_id      uuid,
    -- The actor that created it, as in the audit trail.
    invited_by   text        NOT NULL CHECK (length(invited_by) BETWEEN 1 AND 100),
    expires_at   timestamptz NOT NULL,
    accepted_at  timestamptz,
    -- The person who accepted it.
    person_id    uuid,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    -- The link does not name the tenant.
    CONSTRAINT invitation_digest UNIQUE (digest),
    CONSTRAINT invitation_operator CHECK ((role = 'operator') = (tenant_id = '00000000-0000-0000-0000-000000000000')),
    CONSTRAINT invitation_role CHECK ((role = 'custom') = (role_id IS NOT NULL)),
    CONSTRAINT invitation_acceptance CHECK ((accepted_at IS NULL) = (person_id IS NULL)),
    CONSTRAINT invitation_custom_role FOREIGN KEY (tenant_id, role_id) REFERENCES custom_role (tenant_id, id)
);
-- An address has one open invitation.
CREATE UNIQUE INDEX invitation_address ON invitation (tenant_id, email_key) WHERE accepted_at IS NULL;
CREATE INDEX invitation_with_role ON invitation (tenant_id, role_id) WHERE role_id IS NOT NULL;
-- For the deletion of old rows.
CREATE INDEX invitation_expires_at ON invitation (expires_at);
ALTER TABLE invitation ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invitation USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
CREATE POLICY starts_open ON invitation AS RESTRICTIVE FOR INSERT WITH CHECK (accepted_at IS NULL);
GRANT SELECT, INSERT, DELETE, UPDATE (accepted_at, person_id, updated_at) ON invitation TO espalier_server;
-- A link works once.
CREATE TRIGGER invitation_end_kept BEFORE UPDATE OF accepted_at, person_id ON invitation FOR EACH ROW
    WHEN (OLD.accepted_at IS NOT NULL
        AND (NEW.accepted_at, NEW.person_id) IS DISTINCT FROM (OLD.accepted_at, OLD.person_id))
    EXECUTE FUNCTION credential_end_kept();

-- `membership` and `invitation` refer to `custom_role`, so its rows are deleted last.
INSERT INTO purged_table (name) VALUES ('invitation'), ('membership'), ('custom_role');

-- Functions --------------------------------------------------------------------------------------------------------------

-- A foreign key would bind the rows of a tenant to those of the platform. The function sees the account in place of the tenant.
CREATE FUNCTION membership_named() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    SELECT person.email, person.name INTO NEW.email, NEW.name FROM person
        WHERE person.tenant_id = '00000000-0000-0000-0000-000000000000' AND person.id = NEW.person_id FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the person of the membership does not exist'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'membership_person_exists';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER membership_named BEFORE INSERT ON membership FOR EACH ROW EXECUTE FUNCTION membership_named();

CREATE FUNCTION person_renamed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    UPDATE membership SET email = NEW.email, name = NEW.name,
        updated_at = GREATEST(clock_timestamp(), updated_at + interval '1 microsecond')
    WHERE person_id = NEW.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER person_renamed AFTER UPDATE OF email, name ON person FOR EACH ROW
    WHEN ((OLD.email, OLD.name) IS DISTINCT FROM (NEW.email, NEW.name)) EXECUTE FUNCTION person_renamed();

CREATE FUNCTION person_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    DELETE FROM membership WHERE person_id = OLD.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER person_deleted AFTER DELETE ON person FOR EACH ROW EXECUTE FUNCTION person_deleted();

-- A change of a person's permissions takes effect in every process.
CREATE TRIGGER configuration_changed AFTER INSERT OR DELETE OR UPDATE OF role, role_id ON membership FOR EACH ROW
    EXECUTE FUNCTION configuration_changed();
CREATE TRIGGER configuration_changed AFTER UPDATE OF scopes ON custom_role FOR EACH ROW EXECUTE FUNCTION configuration_changed();

-- Whether there is a person with this ID.
CREATE FUNCTION person_exists(person uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (SELECT FROM person AS p WHERE p.tenant_id = '00000000-0000-0000-0000-000000000000' AND p.id = person);
END
$$;

-- As in 0043, and an actor is also a person. The person may have no membership, because a person who leaves a tenant has none at the end of
-- the transaction.
CREATE OR REPLACE FUNCTION audit_actor_exists(actor text, owner uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF actor ~ '^apikey_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$' THEN
        RETURN EXISTS (SELECT FROM api_key
            WHERE tenant_id IN (owner, '00000000-0000-0000-0000-000000000000') AND id = private_id(actor));
    ELSIF actor ~ '^app_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$' THEN
        RETURN EXISTS (SELECT FROM application WHERE tenant_id = owner AND id = private_id(actor));
    ELSIF actor ~ '^iat_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$' THEN
        RETURN initial_access_token_exists(private_id(actor), owner);
    ELSIF actor ~ '^person_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$' THEN
        RETURN person_exists(private_id(actor));
    END IF;
    RETURN actor IN ('system', 'apple');
END
$$;

DO $$
DECLARE
    function text;
BEGIN
    -- Temporary tables come last, or a caller's own `person` would be in front.
    FOREACH function IN ARRAY ARRAY['membership_named()', 'person_renamed()', 'person_deleted()', 'person_exists(uuid)',
        'audit_actor_exists(text, uuid)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', function, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function);
    END LOOP;
END
$$;

-- The OpenID Connect provider of a tenant, with which its members sign in (single sign-on), the domains of their addresses, and the accounts
-- at providers.

CREATE TABLE sso_connection (
    tenant_id            uuid        NOT NULL REFERENCES tenant (id),
    id                   uuid        NOT NULL,
    issuer               text        NOT NULL CHECK (length(issuer) BETWEEN 8 AND 500),
    client_id            text        NOT NULL CHECK (length(client_id) BETWEEN 1 AND 255),
    sealed_client_secret bytea       NOT NULL,
    -- Whether members with an address of a proved domain sign in only there.
    is_required          boolean     NOT NULL DEFAULT false,
    -- When a member last signed in with this issuer and client. Nobody may require a provider that has never signed a member in.
    signed_in_at         timestamptz,
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT sso_connection_one UNIQUE (tenant_id),
    CONSTRAINT sso_connection_required CHECK (NOT is_required OR signed_in_at IS NOT NULL)
);
ALTER TABLE sso_connection ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON sso_connection USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (issuer, client_id, sealed_client_secret, is_required, signed_in_at, updated_at) ON sso_connection
    TO espalier_server;

-- The domains of the addresses that a tenant's provider may speak for. The tenant proves each one.
CREATE TABLE sso_domain (
    tenant_id     uuid        NOT NULL REFERENCES tenant (id),
    id            uuid        NOT NULL,
    -- In lower case, and ASCII.
    domain        text        NOT NULL CHECK (domain ~ '^[a-z0-9.-]+$' AND length(domain) BETWEEN 3 AND 239),
    -- The value of the proof, which is public.
    token         text        NOT NULL CHECK (length(token) BETWEEN 20 AND 100),
    state         text        NOT NULL CHECK (state IN ('pending', 'active', 'failing', 'inactive')),
    verified_at   timestamptz,
    -- When the proof was last looked for, and when it is the next time.
    checked_at    timestamptz,
    check_due_at  timestamptz NOT NULL,
    failing_since timestamptz,
    -- When a claim without a proof ends.
    expires_at    timestamptz NOT NULL,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT sso_domain_claim UNIQUE (tenant_id, domain),
    CONSTRAINT sso_domain_proof CHECK (state = 'pending' OR verified_at IS NOT NULL),
    CONSTRAINT sso_domain_failure CHECK (state <> 'failing' OR failing_since IS NOT NULL)
);
-- A domain belongs to one tenant. Claims reserve nothing, so nobody can keep a domain from its owner.
CREATE UNIQUE INDEX sso_domain_proved ON sso_domain (domain) WHERE state IN ('active', 'failing');
-- For the work on claims and proofs.
CREATE INDEX sso_domain_claims ON sso_domain (expires_at) WHERE state = 'pending';
CREATE INDEX sso_domain_checks ON sso_domain (check_due_at) WHERE state IN ('active', 'failing');
ALTER TABLE sso_domain ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON sso_domain USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
CREATE POLICY starts_pending ON sso_domain AS RESTRICTIVE FOR INSERT WITH CHECK (state = 'pending');
GRANT SELECT, INSERT, DELETE, UPDATE (state, verified_at, checked_at, check_due_at, failing_since, updated_at) ON sso_domain
    TO espalier_server;

INSERT INTO purged_table (name) VALUES ('sso_domain'), ('sso_connection');

-- An account of a person at a provider. Like everything that proves a person, it belongs to the platform.
CREATE TABLE person_identity (
    tenant_id        uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
        CHECK (tenant_id = '00000000-0000-0000-0000-000000000000'),
    id               uuid        NOT NULL,
    person_id        uuid        NOT NULL,
    -- The tenant whose provider it is: the provider signs people in for this tenant only. The platform's own tenant for an account at Apple.
    issuer_tenant_id uuid        NOT NULL,
    issuer           text        NOT NULL CHECK (length(issuer) BETWEEN 8 AND 500),
    subject          text        COLLATE "C" NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
    created_at       timestamptz NOT NULL,
    last_used_at     timestamptz,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT person_identity_subject UNIQUE (tenant_id, issuer_tenant_id, issuer, subject),
    -- A person has one account at a provider, so nobody can add a second one unnoticed.
    CONSTRAINT person_identity_one UNIQUE (tenant_id, person_id, issuer_tenant_id, issuer),
    FOREIGN KEY (tenant_id, person_id) REFERENCES person (tenant_id, id) ON DELETE CASCADE
);
ALTER TABLE person_identity ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON person_identity USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (last_used_at) ON person_identity TO espalier_server;

-- The accounts at a provider end with it. Another issuer could give the same subject to somebody else. The function sees the accounts in
-- place of the tenant, and a purge of the tenant calls it too.
CREATE FUNCTION sso_issuer_lost() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    DELETE FROM person_identity WHERE tenant_id = '00000000-0000-0000-0000-000000000000'
        AND issuer_tenant_id = OLD.tenant_id AND issuer = OLD.issuer;
    RETURN NULL;
END
$$;
CREATE TRIGGER sso_issuer_lost AFTER DELETE ON sso_connection FOR EACH ROW EXECUTE FUNCTION sso_issuer_lost();
CREATE TRIGGER sso_issuer_changed AFTER UPDATE OF issuer ON sso_connection FOR EACH ROW WHEN (OLD.issuer <> NEW.issuer)
    EXECUTE FUNCTION sso_issuer_lost();
DO $$
BEGIN
    -- Temporary tables come last, or a caller's own `person_identity` would be in front.
    EXECUTE format('ALTER FUNCTION sso_issuer_lost() SET search_path = pg_catalog, %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION sso_issuer_lost() FROM PUBLIC;
END
$$;

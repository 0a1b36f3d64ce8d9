-- Several identities per user, also under one team, because a person can have several Apple Accounts. And the question whether a first
-- sign-in belongs to a user with the same address.

-- 0055 has built the index that replaces it. A server of the previous version adds a second identity of a user only in an open relink
-- window, and only for a user without one under the team. Without this index, two such sign-ins with one address at the same moment could
-- both get the user. So no relink window may be open during the upgrade.
DROP INDEX identity_by_user;

-- The public ID. An existing row has none: its ID is derived from its key, so that no table is rewritten. A server of the previous version
-- gives new rows one, too.
ALTER TABLE identity ADD COLUMN id uuid;
ALTER TABLE identity ALTER COLUMN id SET DEFAULT gen_random_uuid();

-- Whether only the tenant says that the identity is the user's. Apple has not vouched for it yet, so other tenants do not depend on it. A
-- server of the previous version ignores it, and leaves it as it is.
ALTER TABLE identity ADD COLUMN is_asserted boolean NOT NULL DEFAULT false;
GRANT DELETE, UPDATE (is_asserted) ON identity TO espalier_server;

-- A session names only the team of its identity. If one of several identities under the team is removed, the sessions of both no longer
-- count as sign-ins of the other.
GRANT UPDATE (apple_team_id, vouched_at) ON session TO espalier_server;

-- The revocation of a removed identity belongs to no deletion of a user. A server of the previous version cannot read such a row, so it
-- leaves the row to one of this version.
ALTER TABLE apple_revocation ALTER COLUMN deletion_id DROP NOT NULL;

-- Whether a first sign-in with the verified address of another user creates a user at once, as for all existing tenants, or asks the
-- person first.
ALTER TABLE tenant
    ADD COLUMN account_linking text NOT NULL DEFAULT 'off' CHECK (account_linking IN ('off', 'ask'));
GRANT UPDATE (account_linking) ON tenant TO espalier_server;

-- A user with several identities under the old team moves with one of them. If it is removed before that, its transfer identifier must
-- not bring it back. Null for an identifier that a server of the previous version has collected.
ALTER TABLE team_transfer_user ADD COLUMN apple_sub text;
GRANT DELETE, UPDATE (apple_sub) ON team_transfer_user TO espalier_server;

-- Counts users and no longer identities. The index `identity_of_user` has them in the order of the users. A replaced function loses its
-- settings.
CREATE OR REPLACE FUNCTION known_users(owner uuid, team text) RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER
    SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0 AS $$
    SELECT count(*) FROM (SELECT DISTINCT user_id FROM identity WHERE tenant_id = owner AND team_id = team
        AND current_setting('espalier.tenant', true) IN (owner::text, 'platform')) AS known
$$;

-- Another tenant's identity that it only asserts no longer keeps the name of a deleted person in the platform's notifications, and its
-- removal no longer deletes the name there.
CREATE OR REPLACE FUNCTION identity_gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    platform CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
    -- Held first, and looked for in a statement of its own: of two tenants that delete the same person at once, the second waits, and
    -- finds that nobody is left.
    PERFORM FROM apple_notification n
        WHERE EXISTS (SELECT FROM gone g
            WHERE g.apple_sub = n.apple_sub AND g.team_id = ANY(n.team_ids)
                AND (n.tenant_id = g.tenant_id OR n.tenant_id = platform AND NOT g.is_asserted))
        ORDER BY n.tenant_id, n.id FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    UPDATE apple_notification n SET apple_sub = NULL, sealed_payload = '', forgotten_at = clock_timestamp(),
        updated_at = GREATEST(clock_timestamp(), n.updated_at + interval '1 microsecond')
    WHERE EXISTS (SELECT FROM gone g
            WHERE g.apple_sub = n.apple_sub AND g.team_id = ANY(n.team_ids)
                AND (n.tenant_id = g.tenant_id OR n.tenant_id = platform AND NOT g.is_asserted))
        AND NOT EXISTS (SELECT FROM identity i
            WHERE i.apple_sub = n.apple_sub AND i.team_id = ANY(n.team_ids) AND NOT i.is_asserted
                AND n.tenant_id IN (i.tenant_id, platform));
    RETURN NULL;
END
$$;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION known_users(uuid, text) SET search_path = pg_catalog, %I, pg_temp', current_schema());
    EXECUTE format('ALTER FUNCTION identity_gone() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;

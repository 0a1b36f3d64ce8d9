-- Deletions of users who had gone along to another Apple team; notifications that forget whom they were about.

-- `transferred`: the app has gone to another team, and the user with it, which ended what was agreed with the old one.
ALTER TABLE apple_revocation
    DROP CONSTRAINT apple_revocation_reason_check,
    ADD CONSTRAINT apple_revocation_reason_check CHECK (reason IN ('apple_unavailable', 'credentials_refused', 'refused', 'no_credentials',
        'used_elsewhere', 'signed_up_again', 'consent_ended', 'transferred', 'no_refresh_token', 'token_unreadable'));

-- When the user it was about was deleted here. Then it has no `apple_sub` any more, and an empty payload.
ALTER TABLE apple_notification ADD COLUMN forgotten_at timestamptz;
CREATE INDEX apple_notification_subject ON apple_notification (apple_sub) WHERE apple_sub IS NOT NULL;

-- Whoever removes an identity, and for whatever reason: nobody can forget to. A tenant's notifications about the person forget it, and
-- the platform's as soon as no tenant knows the person any more.
CREATE FUNCTION identity_gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    platform CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
    -- Held first, and looked for in a statement of its own: of two tenants that delete the same person at once, the second waits, and
    -- finds that nobody is left.
    PERFORM FROM apple_notification n
        WHERE EXISTS (SELECT FROM gone g
            WHERE g.apple_sub = n.apple_sub AND g.team_id = ANY(n.team_ids) AND n.tenant_id IN (g.tenant_id, platform))
        ORDER BY n.tenant_id, n.id FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    UPDATE apple_notification n SET apple_sub = NULL, sealed_payload = '', forgotten_at = clock_timestamp(),
        updated_at = GREATEST(clock_timestamp(), n.updated_at + interval '1 microsecond')
    WHERE EXISTS (SELECT FROM gone g
            WHERE g.apple_sub = n.apple_sub AND g.team_id = ANY(n.team_ids) AND n.tenant_id IN (g.tenant_id, platform))
        AND NOT EXISTS (SELECT FROM identity i
            WHERE i.apple_sub = n.apple_sub AND i.team_id = ANY(n.team_ids) AND n.tenant_id IN (i.tenant_id, platform));
    RETURN NULL;
END
$$;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION identity_gone() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;
CREATE TRIGGER identity_gone AFTER DELETE ON identity REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION identity_gone();

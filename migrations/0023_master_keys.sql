-- Master keys that can be retired.

-- The keys for digests and MACs: random, and sealed under a master key. A process reads them once, at its start. Imported ones were
-- derived from a master key by the version before, and verify what that version gave out.
CREATE TABLE digest_key (
    -- The platform's.
    tenant_id  uuid        NOT NULL CHECK (tenant_id = '00000000-0000-0000-0000-000000000000'),
    id         bytea       NOT NULL CHECK (length(id) = 4),
    sealed_key bytea       NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

-- A row for each master key, by its ID. The keys themselves are settings.
CREATE TABLE master_key (
    -- The platform's.
    tenant_id  uuid        NOT NULL CHECK (tenant_id = '00000000-0000-0000-0000-000000000000'),
    id         bytea       NOT NULL CHECK (length(id) = 4),
    -- When a running process last had it as its newest key, to the minute. Null: it has sealed nothing here.
    sealing_at timestamptz,
    -- When `espalier master-keys reseal` last found nothing sealed under it. Older than sealing_at, it proves nothing.
    cleared_at timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

-- Adds the digest keys of an installation that has none. If several processes start at once, one adds its keys, and the others wait and
-- get false. Nobody adds a key later: a row that opens under no master key would keep every server from starting.
CREATE FUNCTION add_digest_keys(ids bytea[], keys bytea[], moment timestamptz) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    LOCK TABLE digest_key IN EXCLUSIVE MODE;
    IF EXISTS (SELECT FROM digest_key) THEN
        RETURN false;
    END IF;
    INSERT INTO digest_key (tenant_id, id, sealed_key, created_at)
        SELECT '00000000-0000-0000-0000-000000000000', added.id, added.key, moment FROM unnest(ids, keys) AS added (id, key);
    RETURN true;
END
$$;

-- Notes that a process has these master keys, newest first. The first one seals. In an installation that notes for the first time,
-- all of them may have sealed something. The time is the database's (`believed_time`, migration 0025), so that no note is of a time
-- to come. 100 rows are more than an installation needs.
CREATE FUNCTION note_master_keys(keys bytea[], moment timestamptz) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    platform CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    noted    CONSTANT timestamptz := believed_time(moment);
    is_first CONSTANT boolean := NOT EXISTS (SELECT FROM master_key);
BEGIN
    INSERT INTO master_key AS known (tenant_id, id, sealing_at, created_at)
    SELECT platform, ring.key, CASE WHEN ring.position = 1 OR is_first THEN noted END, noted
    FROM unnest(keys) WITH ORDINALITY AS ring (key, position)
    ON CONFLICT (tenant_id, id) DO UPDATE SET sealing_at = GREATEST(known.sealing_at, excluded.sealing_at)
    WHERE excluded.sealing_at IS NOT NULL;
    IF (SELECT count(*) FROM master_key) > 100 THEN
        RAISE EXCEPTION 'master_key has more than 100 rows: delete those of keys that you do not have as the owner of the schema'
            USING ERRCODE = 'program_limit_exceeded', CONSTRAINT = 'master_key_rows';
    END IF;
END
$$;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['digest_key', 'master_key'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY tenant_isolation ON %I
            USING (current_setting(''espalier.tenant'', true) IN (tenant_id::text, ''platform''))', name);
    END LOOP;
    EXECUTE format('ALTER FUNCTION add_digest_keys(bytea[], bytea[], timestamptz) SET search_path = pg_catalog, %I, pg_temp',
        current_schema());
    EXECUTE format('ALTER FUNCTION note_master_keys(bytea[], timestamptz) SET search_path = pg_catalog, %I, pg_temp',
        current_schema());
END
$$;
REVOKE ALL ON FUNCTION note_master_keys(bytea[], timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_master_keys(bytea[], timestamptz) TO espalier_server;
REVOKE ALL ON FUNCTION add_digest_keys(bytea[], bytea[], timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_digest_keys(bytea[], bytea[], timestamptz) TO espalier_server;
-- Only the owner of the schema seals a digest key again.
GRANT SELECT ON digest_key TO espalier_server;
GRANT SELECT ON master_key TO espalier_server;

-- Transfers between Apple teams that are closed, and counted, without reading all of their users in one statement.

-- Closing --------------------------------------------------------------------------------------------------------------

ALTER TABLE team_transfer
    -- When the last transfer identifier of a closed one was forgotten. Null until then: closing takes as long as there are users.
    ADD COLUMN forgotten_at timestamptz;
-- Those of before were closed in one go.
UPDATE team_transfer SET forgotten_at = closed_at WHERE closed_at IS NOT NULL;
CREATE INDEX team_transfer_closing ON team_transfer (tenant_id, id) WHERE closed_at IS NOT NULL AND forgotten_at IS NULL;

-- Counts ---------------------------------------------------------------------------------------------------------------

-- How many users came to a state, and how many left it, change by change: the sum is how many are in it. Changes are only ever added,
-- so that nobody who signs in waits for another, and folded into one from time to time. Of the pending there is no count: they are
-- whom the old team knows and who is in none of these states.
CREATE TABLE team_transfer_count (
    tenant_id   uuid   NOT NULL,
    transfer_id uuid   NOT NULL,
    id          uuid   NOT NULL DEFAULT gen_random_uuid(),
    collected   bigint NOT NULL,
    moved       bigint NOT NULL,
    failed      bigint NOT NULL,
    PRIMARY KEY (tenant_id, transfer_id, id),
    -- What goes with its tenant goes by this.
    FOREIGN KEY (tenant_id, transfer_id) REFERENCES team_transfer (tenant_id, id) ON DELETE CASCADE
);
ALTER TABLE team_transfer_count ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON team_transfer_count
    USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
-- FOR UPDATE, by which those who fold keep out of each other's way, wants UPDATE of some column.
GRANT SELECT, INSERT, DELETE, UPDATE (id) ON team_transfer_count TO espalier_server;

-- Whoever changes a user of a transfer, and whichever version does: nobody can forget to count.
CREATE FUNCTION transfer_users_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO team_transfer_count (tenant_id, transfer_id, collected, moved, failed)
        SELECT c.tenant_id, c.transfer_id, count(*) FILTER (WHERE c.state = 'collected'), count(*) FILTER (WHERE c.state = 'moved'),
            count(*) FILTER (WHERE c.state = 'failed')
        FROM now_there c WHERE c.state <> 'pending' GROUP BY c.tenant_id, c.transfer_id;
    RETURN NULL;
END
$$;
CREATE FUNCTION transfer_users_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO team_transfer_count (tenant_id, transfer_id, collected, moved, failed)
        SELECT c.tenant_id, c.transfer_id, c.collected, c.moved, c.failed FROM (
            SELECT tenant_id, transfer_id, COALESCE(sum(n) FILTER (WHERE state = 'collected'), 0) AS collected,
                COALESCE(sum(n) FILTER (WHERE state = 'moved'), 0) AS moved, COALESCE(sum(n) FILTER (WHERE state = 'failed'), 0) AS failed
            FROM (SELECT tenant_id, transfer_id, state, -1 AS n FROM then_there
                UNION ALL SELECT tenant_id, transfer_id, state, 1 FROM now_there) AS changed
            GROUP BY tenant_id, transfer_id) AS c
        -- Where an identifier is forgotten, nobody's state changes.
        WHERE (c.collected, c.moved, c.failed) <> (0, 0, 0);
    RETURN NULL;
END
$$;
-- Of a transfer that goes with its users nothing is left to be counted.
CREATE FUNCTION transfer_users_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO team_transfer_count (tenant_id, transfer_id, collected, moved, failed)
        SELECT c.tenant_id, c.transfer_id, -count(*) FILTER (WHERE c.state = 'collected'), -count(*) FILTER (WHERE c.state = 'moved'),
            -count(*) FILTER (WHERE c.state = 'failed')
        FROM then_there c JOIN team_transfer t ON t.tenant_id = c.tenant_id AND t.id = c.transfer_id
        WHERE c.state <> 'pending' GROUP BY c.tenant_id, c.transfer_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER transfer_users_added AFTER INSERT ON team_transfer_user
    REFERENCING NEW TABLE AS now_there FOR EACH STATEMENT EXECUTE FUNCTION transfer_users_added();
CREATE TRIGGER transfer_users_changed AFTER UPDATE ON team_transfer_user
    REFERENCING OLD TABLE AS then_there NEW TABLE AS now_there FOR EACH STATEMENT EXECUTE FUNCTION transfer_users_changed();
CREATE TRIGGER transfer_users_removed AFTER DELETE ON team_transfer_user
    REFERENCING OLD TABLE AS then_there FOR EACH STATEMENT EXECUTE FUNCTION transfer_users_removed();

-- What is there already. Since the triggers nobody changes it until they count.
INSERT INTO team_transfer_count (tenant_id, transfer_id, collected, moved, failed)
    SELECT tenant_id, transfer_id, count(*) FILTER (WHERE state = 'collected'), count(*) FILTER (WHERE state = 'moved'),
        count(*) FILTER (WHERE state = 'failed')
    FROM team_transfer_user WHERE state <> 'pending' GROUP BY tenant_id, transfer_id;

-- How many users of a tenant a team knows, by an index alone. Whether they are the caller's to be counted is asked once instead of for
-- every one of them, which takes as long again as counting. It is none for a stranger.
CREATE FUNCTION known_users(owner uuid, team text) RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER
    SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0 AS $$
    SELECT count(*) FROM identity WHERE tenant_id = owner AND team_id = team
        AND current_setting('espalier.tenant', true) IN (owner::text, 'platform')
$$;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION known_users(uuid, text) SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;
REVOKE ALL ON FUNCTION known_users(uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION known_users(uuid, text) TO espalier_server;

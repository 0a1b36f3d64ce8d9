-- Users who go along when an app goes to another Apple team: each has a transfer identifier, which the old team gets and the new one
-- gives back for its own name of the user.

CREATE TABLE team_transfer (
    tenant_id    uuid        NOT NULL,
    id           uuid        NOT NULL,
    from_team_id text        NOT NULL CHECK (from_team_id ~ '^[A-Z0-9]{10}$'),
    to_team_id   text        NOT NULL CHECK (to_team_id ~ '^[A-Z0-9]{10}$'),
    -- What goes from team to team. Each side asks through a connection to its team with this Services ID, whichever that is by then.
    services_id  text        NOT NULL,
    -- 60 days after the first user moved, which is when we know that Apple has transferred the app; null before.
    closes_at    timestamptz,
    closed_at    timestamptz,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CHECK (from_team_id <> to_team_id)
);
-- One at a time between two teams: two that begin at once are one and a refusal. Sign-ins look for theirs by the same index.
CREATE UNIQUE INDEX team_transfer_open ON team_transfer (tenant_id, to_team_id, from_team_id) WHERE closed_at IS NULL;

-- A user of the old team. Who has no row yet is pending, too: rows are made as the work gets to them.
CREATE TABLE team_transfer_user (
    tenant_id    uuid        NOT NULL,
    transfer_id  uuid        NOT NULL,
    user_id      uuid        NOT NULL,
    state        text        NOT NULL CHECK (state IN ('pending', 'collected', 'moved', 'failed')),
    reason       text        CHECK (reason IN ('refused_by_apple', 'signed_in_anew', 'known_otherwise')),
    moved_by     text        CHECK (moved_by IN ('exchange', 'login')),
    -- Forgotten when the transfer is closed.
    transfer_sub text,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, transfer_id, user_id),
    FOREIGN KEY (tenant_id, transfer_id) REFERENCES team_transfer (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES tenant_user (tenant_id, id) ON DELETE CASCADE,
    CHECK ((state = 'failed') = (reason IS NOT NULL)),
    CHECK ((state = 'moved') = (moved_by IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX team_transfer_user_state ON team_transfer_user (tenant_id, transfer_id, state, user_id);
CREATE INDEX team_transfer_user_sub ON team_transfer_user (tenant_id, transfer_sub) WHERE transfer_sub IS NOT NULL;
CREATE INDEX team_transfer_user_of ON team_transfer_user (tenant_id, user_id);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['team_transfer', 'team_transfer_user'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY tenant_isolation ON %I
            USING (current_setting(''espalier.tenant'', true) IN (tenant_id::text, ''platform''))', name);
    END LOOP;
END
$$;
GRANT SELECT, INSERT, UPDATE, DELETE ON team_transfer, team_transfer_user TO espalier_server;

-- How many logins a month a tenant means to pay for: it is told when they are used up, and, if it wants that, no more are let in.

CREATE TABLE budget (
    tenant_id     uuid        NOT NULL PRIMARY KEY,
    logins        bigint      NOT NULL CHECK (logins BETWEEN 1 AND 1000000000),
    -- Whether logins are refused when it is used up. Nobody has that by accident.
    is_hard       boolean     NOT NULL DEFAULT false,
    -- The month that was last told of, and the highest percentage that was told: each is told once.
    told_period   date        CHECK (extract(day FROM told_period) = 1),
    told_percent  integer     NOT NULL DEFAULT 0,
    -- The end of the month whose budget is used up: until then logins are refused.
    refused_until timestamptz,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    CHECK (is_hard OR refused_until IS NULL)
);
ALTER TABLE budget ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON budget
    USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, UPDATE, DELETE ON budget TO espalier_server;
CREATE TRIGGER configuration_changed AFTER INSERT OR DELETE OR UPDATE OF refused_until ON budget
    FOR EACH ROW EXECUTE FUNCTION configuration_changed();
INSERT INTO purged_table (name) VALUES ('budget');

-- What is added up is changed every few seconds, and what waits for it comes and goes: room on the page for the next version of a row,
-- and no heaps of dead ones.
ALTER TABLE usage_day SET (fillfactor = 50);
ALTER TABLE usage_users SET (fillfactor = 50);
ALTER TABLE usage_arrival SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- espalier: no transaction
-- Finds the ends of sessions in order of time, for the list of events. A refresh does not change it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS session_ended ON session (tenant_id, ended_at) WHERE ended_at IS NOT NULL;

-- espalier: no transaction
-- Finds the events of an action in order of time, for the list of events in WorkOS's interface.
CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_event_action ON audit_event (tenant_id, action, occurred_at);

-- espalier: no transaction
-- Finds the identities of a user. Unlike `identity_by_user`, it allows several under one team. 0056 drops that index.
CREATE INDEX CONCURRENTLY IF NOT EXISTS identity_of_user ON identity (tenant_id, user_id, team_id);

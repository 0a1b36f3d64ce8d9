-- espalier: no transaction
-- Finds the sessions of a browser session, for its end. Most sessions belong to none.
CREATE INDEX CONCURRENTLY IF NOT EXISTS session_by_browser ON session (tenant_id, browser_session_id)
    WHERE browser_session_id IS NOT NULL;

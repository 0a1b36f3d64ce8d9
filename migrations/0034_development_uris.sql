-- Whether an application can have URIs for development: any port of http://localhost, a wildcard for one label, and private-use schemes of
-- one label. No application can by default, as before.
ALTER TABLE application ADD COLUMN allows_development_uris boolean NOT NULL DEFAULT false;
GRANT UPDATE (allows_development_uris) ON application TO espalier_server;

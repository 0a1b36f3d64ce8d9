-- Whether logins of an application get a refresh token only with the scope `offline_access` (OpenID Connect Core, section 11). Every login
-- gets one by default, as before.
ALTER TABLE application ADD COLUMN requires_offline_access boolean NOT NULL DEFAULT false;
GRANT UPDATE (requires_offline_access) ON application TO espalier_server;

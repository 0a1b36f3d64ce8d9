-- Where a person starts a sign-in at an application again (OpenID Connect Core, section 4: `initiate_login_uri`). Null for an application
-- that has not said.
ALTER TABLE application ADD COLUMN login_url text CHECK (length(login_url) BETWEEN 1 AND 2000);
GRANT UPDATE (login_url) ON application TO espalier_server;

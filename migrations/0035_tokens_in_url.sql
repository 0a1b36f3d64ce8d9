-- Whether the compatibility endpoints may put the tokens of an application's logins into the URL of the redirect. URLs end up in logs, so no
-- application does this by default.
ALTER TABLE application ADD COLUMN returns_tokens_in_url boolean NOT NULL DEFAULT false;
GRANT UPDATE (returns_tokens_in_url) ON application TO espalier_server;

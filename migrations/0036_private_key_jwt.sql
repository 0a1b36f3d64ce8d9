-- How an application authenticates, and its public keys (RFC 7523). Without a method, an application of kind `web` or `machine` has a
-- secret, as before.
ALTER TABLE application
    ADD COLUMN token_endpoint_auth_method text CHECK (token_endpoint_auth_method = 'private_key_jwt'),
    ADD COLUMN jwks jsonb,
    ADD COLUMN jwks_uri text,
    ADD CONSTRAINT application_one_key_source CHECK (jwks IS NULL OR jwks_uri IS NULL),
    ADD CONSTRAINT application_has_keys CHECK (token_endpoint_auth_method IS NULL OR jwks IS NOT NULL OR jwks_uri IS NOT NULL);
GRANT UPDATE (token_endpoint_auth_method, jwks, jwks_uri) ON application TO espalier_server;

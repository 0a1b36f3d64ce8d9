-- The key that the refresh tokens of a public application's session are bound to (RFC 9449, section 5): its SHA-256 thumbprint.
ALTER TABLE session ADD COLUMN dpop_jkt text;
GRANT UPDATE (dpop_jkt) ON session TO espalier_server;

-- Whether an application must push its authorization requests (RFC 9126), must prove its key for tokens (RFC 9449), and may sign users in on
-- devices without a browser (RFC 8628). The last one helps phishing, so no application has it by default.
ALTER TABLE application
    ADD COLUMN requires_pushed_requests boolean NOT NULL DEFAULT false,
    ADD COLUMN requires_dpop boolean NOT NULL DEFAULT false,
    ADD COLUMN allows_device_grant boolean NOT NULL DEFAULT false;
GRANT UPDATE (requires_pushed_requests, requires_dpop, allows_device_grant) ON application TO espalier_server;

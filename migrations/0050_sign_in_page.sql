-- When the authorization endpoint shows the tenant's sign-in page before Apple's page: never, if the request asks for it, or always. An
-- application can differ from its tenant. Null means the tenant's choice.
--
-- A server of the previous version shows no page.
ALTER TABLE tenant
    ADD COLUMN sign_in_page text NOT NULL DEFAULT 'never' CHECK (sign_in_page IN ('never', 'on_request', 'always'));
GRANT UPDATE (sign_in_page) ON tenant TO espalier_server;

ALTER TABLE application ADD COLUMN sign_in_page text CHECK (sign_in_page IN ('never', 'on_request', 'always'));
GRANT UPDATE (sign_in_page) ON application TO espalier_server;

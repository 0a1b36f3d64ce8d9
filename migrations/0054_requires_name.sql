-- Whether the application needs the name of its users. A page then asks a user for whom Apple shared no name.
--
-- A server of the previous version asks for no name.
ALTER TABLE application ADD COLUMN requires_name boolean NOT NULL DEFAULT false;

-- When the code was issued that started the session, if its login can have several codes. So a second code that a person gets by mistake
-- differs from a code that is used twice.
ALTER TABLE session ADD COLUMN code_issued_at timestamptz;

GRANT UPDATE (requires_name) ON application TO espalier_server;

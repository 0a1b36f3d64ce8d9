-- The codes behind the link of a recovery have a count of their own. Otherwise, somebody who knows the password, and gives wrong codes at the
-- sign-in, would keep the owner of the mailbox from the recovery.
ALTER TABLE person
    ADD COLUMN recovery_failures  integer     NOT NULL DEFAULT 0 CHECK (recovery_failures >= 0),
    ADD COLUMN recovery_failed_at timestamptz;

GRANT UPDATE (recovery_failures, recovery_failed_at) ON person TO espalier_server;

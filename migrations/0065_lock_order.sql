-- One order of locks for people: the advisory lock of the owner, then the account, then its memberships, then the trails. A change of the name
-- or the address has locked the account when it updates the memberships (0059). A request that ends a membership, or the deletion of a tenant,
-- cannot lock the account first, because a tenant does not see it. So such a transaction never waits for an account.

-- As in 0061, except that it waits for nobody. The end of a membership postpones the deletion of an unused account. While somebody else has
-- locked the account, it is in use, which postpones the deletion too. The lock does not conflict with a reference to the account.
CREATE OR REPLACE FUNCTION membership_ended() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    UPDATE person SET updated_at = GREATEST(clock_timestamp(), person.updated_at + interval '1 microsecond')
    FROM (SELECT p.tenant_id, p.id FROM person AS p
        WHERE p.tenant_id = '00000000-0000-0000-0000-000000000000' AND p.id = OLD.person_id FOR NO KEY UPDATE SKIP LOCKED) AS free
    WHERE person.tenant_id = free.tenant_id AND person.id = free.id;
    RETURN NULL;
END
$$;

DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION membership_ended() SET search_path = pg_catalog, %I, pg_temp', current_schema());
    EXECUTE 'REVOKE ALL ON FUNCTION membership_ended() FROM PUBLIC';
END
$$;

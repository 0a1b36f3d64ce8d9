-- Support: an operator acts on the data of a tenant for a limited time, with a reason, and visible to the tenant.

-- Whether operators can start a support access of this tenant.
ALTER TABLE tenant ADD COLUMN allows_support boolean NOT NULL DEFAULT true;
GRANT UPDATE (allows_support) ON tenant TO espalier_server;

CREATE TABLE support_access (
    tenant_id     uuid        NOT NULL REFERENCES tenant (id),
    id            uuid        NOT NULL,
    person_id     uuid        NOT NULL,
    -- The name of the operator at the start. A tenant does not see accounts.
    operator_name text        NOT NULL CHECK (length(operator_name) BETWEEN 1 AND 200),
    reason        text        NOT NULL CHECK (length(reason) BETWEEN 10 AND 500),
    started_at    timestamptz NOT NULL,
    ends_at       timestamptz NOT NULL,
    ended_at      timestamptz,
    -- The actor that ended it, as in the audit trail.
    ended_by      text        CHECK (length(ended_by) BETWEEN 1 AND 100),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT support_access_time CHECK (ends_at BETWEEN started_at + interval '15 minutes' AND started_at + interval '8 hours'),
    CONSTRAINT support_access_end CHECK ((ended_at IS NULL) = (ended_by IS NULL))
);
-- An operator has one at a time in a tenant. Its columns also serve the look-up of a caller.
CREATE UNIQUE INDEX support_access_open ON support_access (person_id, tenant_id) WHERE ended_at IS NULL;
-- For those whose time is over.
CREATE INDEX support_access_ends_at ON support_access (ends_at) WHERE ended_at IS NULL;
ALTER TABLE support_access ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON support_access USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
CREATE POLICY starts_open ON support_access AS RESTRICTIVE FOR INSERT WITH CHECK (ended_at IS NULL);
GRANT SELECT, INSERT, UPDATE (ended_at, ended_by) ON support_access TO espalier_server;
-- An end is final (0025).
CREATE TRIGGER support_access_end_kept BEFORE UPDATE OF ended_at, ended_by ON support_access FOR EACH ROW
    WHEN (OLD.ended_at IS NOT NULL AND (NEW.ended_at, NEW.ended_by) IS DISTINCT FROM (OLD.ended_at, OLD.ended_by))
    EXECUTE FUNCTION credential_end_kept();
-- A start and an end reach every process: the notification names the person.
CREATE TRIGGER configuration_changed AFTER INSERT OR DELETE OR UPDATE OF ended_at ON support_access FOR EACH ROW
    EXECUTE FUNCTION person_changed();
INSERT INTO purged_table (name) VALUES ('support_access');

-- Whether a person has a support access of this tenant with this ID. It may have ended, because a request ends after it. The trail of the
-- platform has the acts for all tenants.
CREATE FUNCTION support_access_exists(support text, actor text, owner uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF actor !~ '^person_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$' OR support !~ '^support_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$' THEN
        RETURN false;
    END IF;
    RETURN EXISTS (SELECT FROM support_access AS s
        WHERE (s.tenant_id = owner OR owner = '00000000-0000-0000-0000-000000000000')
            AND s.id = private_id(support) AND s.person_id = private_id(actor));
END
$$;

-- As in 0060, except that it also checks the support access.
CREATE OR REPLACE FUNCTION audit_event_chained() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    last record;
BEGIN
    IF NOT pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER') THEN
        IF current_setting('espalier.tenant', true) IN (NEW.tenant_id::text, 'platform') IS NOT TRUE THEN
            RAISE EXCEPTION 'this transaction is not for the trail of %', NEW.tenant_id USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF NOT audit_actor_exists(NEW.actor, NEW.tenant_id) THEN
            RAISE EXCEPTION 'the actor % does not exist', NEW.actor
                USING ERRCODE = 'check_violation', CONSTRAINT = 'audit_event_actor';
        END IF;
        IF NEW.session_id IS NOT NULL AND NOT person_session_exists(NEW.session_id, NEW.actor) THEN
            RAISE EXCEPTION 'the actor % has no session %', NEW.actor, NEW.session_id
                USING ERRCODE = 'check_violation', CONSTRAINT = 'audit_event_actor';
        END IF;
        IF NEW.support_access_id IS NOT NULL AND NOT support_access_exists(NEW.support_access_id, NEW.actor, NEW.tenant_id) THEN
            RAISE EXCEPTION 'the actor % has no support access %', NEW.actor, NEW.support_access_id
                USING ERRCODE = 'check_violation', CONSTRAINT = 'audit_event_actor';
        END IF;
        NEW.occurred_at := believed_time(NEW.occurred_at);
        IF abs(('x' || left(replace(NEW.id::text, '-', ''), 12))::bit(48)::bigint - extract(epoch FROM NEW.occurred_at) * 1000) > 1000
        THEN
            NEW.id := uuid_at(NEW.occurred_at);
        END IF;
    END IF;
    -- One event of a tenant after the other, until the end of the transaction: each needs the one before it.
    PERFORM pg_advisory_xact_lock(1634755937, hashtext(NEW.tenant_id::text));
    SELECT sequence, hash INTO last FROM audit_event WHERE tenant_id = NEW.tenant_id ORDER BY sequence DESC LIMIT 1;
    NEW.sequence := COALESCE(last.sequence, 0) + 1;
    NEW.previous_hash := last.hash;
    NEW.hash := audit_event_hash(NEW);
    RETURN NEW;
END
$$;

DO $$
DECLARE
    function text;
BEGIN
    -- Temporary tables come last, or a caller's own table would be in front.
    FOREACH function IN ARRAY ARRAY['support_access_exists(text, text, uuid)', 'audit_event_chained()'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', function, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function);
    END LOOP;
END
$$;

-- A closed month of a tenant, and the end of a tenant, which waits for it.

CREATE TABLE statement (
    tenant_id     uuid        NOT NULL,
    -- The month's first day.
    period        date        NOT NULL CHECK (extract(day FROM period) = 1),
    id            uuid        NOT NULL,
    -- closing: from now on no event gets into the month, and its lines are being made. closed: it never changes again.
    state         text        NOT NULL DEFAULT 'closing' CHECK (state IN ('closing', 'closed')),
    -- The tenant as it was then: it can be purged, and the statement stays.
    tenant_slug   text        NOT NULL,
    tenant_name   text        NOT NULL,
    -- Until when a process has it in its hands.
    claimed_until timestamptz NOT NULL,
    -- How many events it is over, and SHA-256 over them in the order of their times and ids.
    events        bigint,
    digest        bytea       CHECK (length(digest) = 32),
    closing_at    timestamptz NOT NULL,
    closed_at     timestamptz,
    PRIMARY KEY (tenant_id, period),
    UNIQUE (tenant_id, id),
    CHECK ((state = 'closed') = (closed_at IS NOT NULL)),
    CHECK ((state = 'closed') = (events IS NOT NULL AND digest IS NOT NULL))
);
CREATE INDEX statement_closing ON statement (claimed_until) WHERE state = 'closing';
CREATE INDEX statement_by_period ON statement (period, tenant_id);

-- Which rate card held on which days of the month: by it, what comes late is rated.
CREATE TABLE statement_term (
    tenant_id          uuid NOT NULL,
    period             date NOT NULL,
    first_day          date NOT NULL,
    last_day           date NOT NULL CHECK (last_day >= first_day),
    -- The platform's or the tenant's own.
    rate_card_owner    uuid NOT NULL,
    rate_card_id       uuid NOT NULL,
    PRIMARY KEY (tenant_id, period, first_day),
    FOREIGN KEY (tenant_id, period) REFERENCES statement (tenant_id, period)
);

-- One charge. Amounts are millionths of the currency's unit; `amount_micros` is rounded, half to even, to what the currency has coins
-- for, and `exact_micros` is what it was before.
CREATE TABLE statement_line (
    tenant_id          uuid    NOT NULL,
    period             date    NOT NULL,
    position           integer NOT NULL CHECK (position > 0),
    kind               text    NOT NULL CHECK (kind IN ('base_fee', 'included', 'logins', 'minimum', 'correction')),
    -- The month it is for: the statement's own, or that which a correction corrects.
    service_period     date    NOT NULL,
    first_day          date    NOT NULL,
    last_day           date    NOT NULL,
    plan               text,
    rate_card_id       uuid    NOT NULL,
    rate_card_version  integer NOT NULL,
    description        text    NOT NULL,
    quantity           bigint  NOT NULL,
    -- Null where several prices have their part in it.
    unit_price_micros  bigint,
    currency           text    NOT NULL,
    exact_micros       bigint  NOT NULL,
    amount_micros      bigint  NOT NULL,
    PRIMARY KEY (tenant_id, period, position),
    FOREIGN KEY (tenant_id, period) REFERENCES statement (tenant_id, period)
);

-- What is closed is frozen, whoever asks.
CREATE FUNCTION statement_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'statement' THEN
        IF OLD.state = 'closed' THEN
            RAISE EXCEPTION 'a closed statement does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'statement_frozen';
        END IF;
    ELSIF TG_OP <> 'INSERT' OR EXISTS (
        SELECT FROM statement WHERE tenant_id = NEW.tenant_id AND period = NEW.period AND state = 'closed')
    THEN
        RAISE EXCEPTION 'the lines of a statement do not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'statement_frozen';
    END IF;
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END
$$;
CREATE TRIGGER statement_frozen BEFORE UPDATE OR DELETE ON statement FOR EACH ROW EXECUTE FUNCTION statement_frozen();
CREATE TRIGGER statement_frozen BEFORE INSERT OR UPDATE OR DELETE ON statement_term FOR EACH ROW EXECUTE FUNCTION statement_frozen();
CREATE TRIGGER statement_frozen BEFORE INSERT OR UPDATE OR DELETE ON statement_line FOR EACH ROW EXECUTE FUNCTION statement_frozen();

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['statement', 'statement_term', 'statement_line'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY tenant_isolation ON %I
            USING (current_setting(''espalier.tenant'', true) IN (tenant_id::text, ''platform''))', name);
    END LOOP;
END
$$;
GRANT SELECT, INSERT, UPDATE ON statement TO espalier_server;
GRANT SELECT, INSERT ON statement_term, statement_line TO espalier_server;

-- The end of a tenant -----------------------------------------------------------------------------------------------------

-- What goes with a tenant: a table that comes later adds itself, instead of the whole function. What refers to another goes first.
CREATE TABLE purged_table (
    tenant_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000' CHECK (tenant_id = '00000000-0000-0000-0000-000000000000'),
    name      text NOT NULL,
    position  integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (tenant_id, name)
);
ALTER TABLE purged_table ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON purged_table USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
INSERT INTO purged_table (name) SELECT name FROM unnest(ARRAY['team_transfer_user', 'team_transfer', 'session', 'identity',
    'tenant_user', 'application_secret', 'application', 'apple_key', 'connection', 'api_key', 'signing_key', 'idempotency_key', 'outbox',
    'webhook_delivery', 'webhook_event', 'webhook_secret', 'webhook_endpoint', 'single_use', 'revocation', 'backchannel_logout',
    'apple_notification', 'apple_revocation', 'user_deletion', 'usage_event', 'usage_month_user', 'audit_event'])
    WITH ORDINALITY AS listed (name, position) ORDER BY position;

-- As in 0010, but that a tenant's last months are closed first: who is purged has been billed. Its numbers, prices and statements stay.
CREATE OR REPLACE FUNCTION purge_tenant(purged uuid) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    name text;
BEGIN
    PERFORM FROM tenant WHERE id = purged AND status = 'deleted' AND purge_after <= clock_timestamp() FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF EXISTS (SELECT FROM usage_arrival WHERE tenant_id = purged)
        OR EXISTS (SELECT FROM statement WHERE tenant_id = purged AND state = 'closing')
        OR EXISTS (SELECT FROM usage_event WHERE tenant_id = purged AND billing_period > COALESCE(
            (SELECT max(period) FROM statement WHERE tenant_id = purged), '-infinity'))
    THEN
        RETURN false;
    END IF;
    UPDATE tenant SET status = 'purged', name = slug, connection_id = NULL, purge_after = NULL, status_before_deletion = NULL,
        updated_at = GREATEST(clock_timestamp(), updated_at + interval '1 microsecond') WHERE id = purged;
    FOR name IN SELECT purged_table.name FROM purged_table ORDER BY position LOOP
        EXECUTE format('DELETE FROM %I WHERE tenant_id = $1', name) USING purged;
    END LOOP;
    RETURN true;
END
$$;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION purge_tenant(uuid) SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;

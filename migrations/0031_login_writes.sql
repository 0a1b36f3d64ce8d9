-- Less work for each login and each refresh.
--
-- PostgreSQL reads the text of every CHECK of a table again for each statement that writes the table. The checks of `session` were a
-- sixth of the work of a login's transaction, and a quarter of the work of a refresh. A domain is read once per database session, and
-- an update does not evaluate it for columns that it does not set.

-- Sessions --------------------------------------------------------------------------------------------------------------

-- The view uses the columns whose types change.
DROP VIEW session_life;
CREATE DOMAIN session_end_reason AS text;
CREATE DOMAIN session_user_agent AS text;
CREATE DOMAIN session_address AS text;
ALTER TABLE session
    DROP CONSTRAINT session_ended_reason_check,
    DROP CONSTRAINT session_user_agent_check,
    DROP CONSTRAINT session_address_check,
    DROP CONSTRAINT session_check,
    -- A domain without a constraint changes no row. The constraints follow. All rows met them, as the table's checks.
    ALTER COLUMN ended_reason TYPE session_end_reason,
    ALTER COLUMN user_agent TYPE session_user_agent,
    ALTER COLUMN address TYPE session_address,
    -- The identity that the user signed in with, and when Apple vouched for it, by Apple's clock. A sign-in that changes nothing else
    -- writes no identity, so this is the only record of it. Null for a session of an older version.
    ADD COLUMN apple_team_id text,
    ADD COLUMN vouched_at timestamptz;
ALTER DOMAIN session_end_reason ADD CONSTRAINT session_ended_reason_check CHECK (VALUE IN ('code_replayed', 'refresh_token_reused',
    'revoked', 'user_deleted', 'logout', 'token_revoked', 'consent_revoked', 'account_deleted')) NOT VALID;
ALTER DOMAIN session_user_agent ADD CONSTRAINT session_user_agent_check CHECK (length(VALUE) <= 300) NOT VALID;
ALTER DOMAIN session_address ADD CONSTRAINT session_address_check CHECK (length(VALUE) <= 100) NOT VALID;

-- As in 0005, with the same types. Statements that servers of the version before have prepared stay valid.
CREATE VIEW session_life WITH (security_invoker = true) AS
    SELECT s.tenant_id, s.id, s.application_id, s.user_id, s.scope, s.created_at, s.expires_at, s.refresh_generation, s.refreshed_at,
        s.ended_at, s.ended_reason::text AS ended_reason, s.user_agent::text AS user_agent, s.address::text AS address,
        s.authenticated_at, LEAST(s.expires_at, s.created_at + make_interval(secs => t.session_seconds),
        s.refreshed_at + make_interval(secs => LEAST(COALESCE(a.idle_seconds, 2592000), t.idle_seconds))) AS ends_at
    FROM session s JOIN tenant t ON t.id = s.tenant_id
    LEFT JOIN application a ON a.tenant_id = s.tenant_id AND a.id = s.application_id;
GRANT SELECT ON session_life TO espalier_server;

-- A session has a reason for its end exactly if it has ended. The server's role inserts only sessions that have not ended.
CREATE FUNCTION session_end_checked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a session has a reason for its end exactly if it has ended'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'session_check';
END
$$;
CREATE TRIGGER session_end_checked BEFORE UPDATE OF ended_at, ended_reason ON session FOR EACH ROW
    WHEN ((NEW.ended_at IS NULL) <> (NEW.ended_reason IS NULL)) EXECUTE FUNCTION session_end_checked();
CREATE POLICY starts_active ON session AS RESTRICTIVE FOR INSERT WITH CHECK (ended_at IS NULL AND ended_reason IS NULL);

-- Ledger ----------------------------------------------------------------------------------------------------------------

-- A login writes one row of the ledger instead of two. It is in `usage_arrival` until a pass aggregates it. The deletion from there
-- inserts it into `usage_event`, in the transaction that counts it. So each login is in exactly one of both, whichever version or
-- role deletes it. Servers of the version before still write both, and the insertion then finds the event.
CREATE DOMAIN usage_kind AS text CONSTRAINT usage_kind_check CHECK (VALUE IN ('login'));
CREATE DOMAIN usage_connection AS text CONSTRAINT usage_connection_check CHECK (VALUE IN ('own', 'shared'));
CREATE DOMAIN usage_month AS date CONSTRAINT usage_month_check CHECK (extract(day FROM VALUE) = 1);
-- A time that the aggregation cannot count would stop it for all tenants.
CREATE DOMAIN usage_time AS timestamptz CONSTRAINT usage_time_check CHECK (VALUE >= '2000-01-01 00:00+00' AND VALUE < '3000-01-01 00:00+00');
-- The checks of `usage_event`, so that each arrival can become an event.
ALTER TABLE usage_arrival
    ALTER COLUMN occurred_at TYPE usage_time,
    ALTER COLUMN kind TYPE usage_kind,
    ALTER COLUMN connection TYPE usage_connection,
    ALTER COLUMN billing_period TYPE usage_month;

CREATE FUNCTION record_usage_events() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
    SELECT occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection FROM taken
    -- The order of the primary key.
    ORDER BY tenant_id, billing_period, occurred_at, id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER record_usage_events AFTER DELETE ON usage_arrival REFERENCING OLD TABLE AS taken
    FOR EACH STATEMENT EXECUTE FUNCTION record_usage_events();
CREATE TRIGGER truncate_refused BEFORE TRUNCATE ON usage_arrival FOR EACH STATEMENT EXECUTE FUNCTION truncate_refused();

-- Whether events of a tenant that are billed in this month or before wait to be aggregated.
CREATE FUNCTION usage_waits(owner uuid, month date) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM usage_arrival WHERE tenant_id = owner AND billing_period <= month)
$$;

-- Whether the ledger has events of a tenant that are billed between these months.
CREATE FUNCTION usage_exists(owner uuid, after date, before date) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM usage_event WHERE tenant_id = owner AND billing_period > after AND billing_period < before)
$$;

-- The number of events of a tenant's month. The month is a part of the text, so that only its partition is read.
CREATE FUNCTION usage_count(owner uuid, month date) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    counted bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM usage_event WHERE tenant_id = $1 AND billing_period = %L', month) INTO counted USING owner;
    RETURN counted;
END
$$;

-- A month is taken when all events of earlier months are in the ledger, and closed when all of its own are. When it is taken, no
-- login is in progress, and later logins are billed in later months.
--
-- `take_statement` and `close_statement` have read the ledger before this. Since then, an event may have left `usage_arrival`. So the
-- ledger is read again, after the check that nothing waits.
CREATE FUNCTION statement_complete_checked() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    is_incomplete boolean;
BEGIN
    is_incomplete := usage_waits(NEW.tenant_id,
        CASE WHEN TG_OP = 'INSERT' THEN (NEW.period - interval '1 month')::date ELSE NEW.period END);
    IF NOT is_incomplete AND TG_OP = 'INSERT' THEN
        is_incomplete := usage_exists(NEW.tenant_id, COALESCE((SELECT max(s.period) FROM statement s
            WHERE s.tenant_id = NEW.tenant_id AND s.period < NEW.period), '-infinity'), NEW.period);
    ELSIF NOT is_incomplete THEN
        -- The events of a purged tenant are gone.
        is_incomplete := usage_count(NEW.tenant_id, NEW.period) NOT IN (0, NEW.events);
    END IF;
    IF is_incomplete THEN
        RAISE EXCEPTION '% of % stays open: events wait to be aggregated', to_char(NEW.period, 'YYYY-MM'), NEW.tenant_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'statement_complete_checked';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER statement_complete_taken BEFORE INSERT ON statement FOR EACH ROW EXECUTE FUNCTION statement_complete_checked();
CREATE TRIGGER statement_complete_closed BEFORE UPDATE OF state ON statement FOR EACH ROW
    WHEN (OLD.state = 'closing' AND NEW.state = 'closed') EXECUTE FUNCTION statement_complete_checked();

-- Execution --------------------------------------------------------------------------------------------------------------

DO $$
DECLARE
    function text;
BEGIN
    FOREACH function IN ARRAY ARRAY['session_end_checked()', 'record_usage_events()', 'usage_waits(uuid, date)',
        'usage_exists(uuid, date, date)', 'usage_count(uuid, date)', 'statement_complete_checked()'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', function, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function);
    END LOOP;
END
$$;

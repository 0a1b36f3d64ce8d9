-- The server's role changes only the columns that the server changes. Functions write statements and check the audit trail. So
-- a stolen role bills no more than the ledger and the rate cards say, and names no actor that does not exist. It can still append
-- usage events, rate cards and audit events, because the server does.
--
-- Servers of the version before continue to run. They close no months from here, because they insert statements themselves.
-- A server of this version closes these months.

-- Time ------------------------------------------------------------------------------------------------------------------

-- One row means that this installation simulates its clock, for development and tests. The server's role has no grant on it.
-- `espalier migrate` writes it with ESPALIER_SIMULATED_CLOCK=true and removes it without.
CREATE TABLE simulated_clock (
    tenant_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
        CHECK (tenant_id = '00000000-0000-0000-0000-000000000000'),
    PRIMARY KEY (tenant_id)
);
ALTER TABLE simulated_clock ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON simulated_clock
    USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));

-- The time that is recorded for a claimed one. The database's clock replaces a time that is more than 5 minutes away: a request
-- may wait for its locks, and the clocks of two machines differ a little.
CREATE FUNCTION believed_time(claimed timestamptz) RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
    IF claimed BETWEEN clock_timestamp() - interval '5 minutes' AND clock_timestamp() + interval '5 minutes'
        OR EXISTS (SELECT FROM simulated_clock)
    THEN
        RETURN claimed;
    END IF;
    RETURN clock_timestamp();
END
$$;

-- Whether a month has ended, by the database's clock.
CREATE FUNCTION month_has_ended(month date, claimed timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN (month + interval '1 month') AT TIME ZONE 'UTC'
        <= CASE WHEN EXISTS (SELECT FROM simulated_clock) THEN claimed ELSE clock_timestamp() END;
END
$$;

-- A UUIDv7 of a time.
CREATE FUNCTION uuid_at(moment timestamptz) RETURNS uuid LANGUAGE sql AS $$
    SELECT (left(milliseconds, 8) || '-' || right(milliseconds, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid
    FROM (SELECT lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') AS milliseconds) AS time
$$;

-- The UUID of an ID as `public_id` writes it.
CREATE FUNCTION private_id(public text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT (lpad(to_hex(substr(bits, 3, 64)::bit(64)::bigint), 16, '0') || lpad(to_hex(substr(bits, 67, 64)::bit(64)::bigint), 16, '0'))::uuid
    FROM (
        SELECT string_agg((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(right(public, 26), digit, 1)) - 1)::bit(5)::text, ''
            ORDER BY digit) AS bits
        FROM generate_series(1, 26) AS digit) AS decoded
$$;

-- Audit trail -----------------------------------------------------------------------------------------------------------

-- An actor is the system, Apple, an API key of the owner or of the platform, or an application of the owner.
CREATE FUNCTION audit_actor_exists(actor text, owner uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF actor ~ '^apikey_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$' THEN
        RETURN EXISTS (SELECT FROM api_key
            WHERE tenant_id IN (owner, '00000000-0000-0000-0000-000000000000') AND id = private_id(actor));
    ELSIF actor ~ '^app_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$' THEN
        RETURN EXISTS (SELECT FROM application WHERE tenant_id = owner AND id = private_id(actor));
    END IF;
    RETURN actor IN ('system', 'apple');
END
$$;

-- As in 0004, except that it checks every event of a role that does not own the schema: the owner of the trail, the actor and
-- the time. The ID carries the time, because lists are in the order of the IDs.
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

-- Statements ------------------------------------------------------------------------------------------------------------

-- Takes a month of a tenant for closing, unless another process has it or has closed it. One row when it is taken.
CREATE FUNCTION take_statement(owner uuid, month date, moment timestamptz, lease_end timestamptz)
RETURNS TABLE (taken_id uuid, taken_is_purged boolean) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF current_setting('espalier.tenant', true) IS DISTINCT FROM 'platform' THEN
        RAISE EXCEPTION 'the platform closes months' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NOT month_has_ended(month, moment) THEN
        RAISE EXCEPTION '% has not ended. To simulate the clock in development, run `espalier migrate` with ESPALIER_SIMULATED_CLOCK=true.',
            to_char(month, 'YYYY-MM') USING ERRCODE = 'check_violation', CONSTRAINT = 'statement_month_over';
    END IF;
    RETURN QUERY
        INSERT INTO statement AS taken (tenant_id, period, id, tenant_slug, tenant_name, claimed_until, closing_at)
        -- IDs are in the order of the months, whenever these are closed.
        SELECT t.id, month, uuid_at((month + interval '1 month') AT TIME ZONE 'UTC'), t.slug, t.name, lease_end, believed_time(moment)
        FROM tenant t
        WHERE t.id = owner
            -- In the order of the months.
            AND NOT EXISTS (SELECT FROM statement s
                WHERE s.tenant_id = owner AND (s.period > month OR s.period < month AND s.state = 'closing'))
            AND NOT EXISTS (SELECT FROM usage_event e
                WHERE e.tenant_id = owner AND e.billing_period < month AND e.billing_period > COALESCE(
                    (SELECT max(s.period) FROM statement s WHERE s.tenant_id = owner), '-infinity'))
        FOR SHARE OF t
        ON CONFLICT (tenant_id, period) DO UPDATE SET claimed_until = excluded.claimed_until
            WHERE taken.state = 'closing' AND taken.claimed_until <= moment
        RETURNING taken.id, (SELECT tenant.status = 'purged' FROM tenant WHERE tenant.id = taken.tenant_id);
END
$$;

-- Closes a month that `take_statement` has taken, with its terms and lines. It checks all that the database can decide: the
-- number of logins is the ledger's, the lines have just as many for each month in which they occurred, each line names a rate
-- card that the tenant has or had, and rounding explains the difference between the exact and the rounded amount. A correction
-- costs at most the highest price of its rate card for each login of its month. Up to 100000 logins it calculates the digest,
-- too. Above that, the events do not fit into one value, and `espalier usage verify` compares the digest.
CREATE FUNCTION close_statement(
    owner uuid, month date, claim timestamptz, counted bigint, event_digest bytea, moment timestamptz, terms jsonb, lines jsonb
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    platform CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    month_end CONSTANT date := (month + interval '1 month')::date - 1;
    ledger   bigint;
    -- The same logins, by the month in which they occurred.
    occurred jsonb;
    digested bytea;
    wrong    text;
BEGIN
    IF current_setting('espalier.tenant', true) IS DISTINCT FROM 'platform' THEN
        RAISE EXCEPTION 'the platform closes months' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM FROM statement WHERE tenant_id = owner AND period = month AND state = 'closing' AND claimed_until = claim FOR UPDATE;
    IF NOT FOUND THEN
        wrong := 'this process does not have the month';
    ELSIF NOT month_has_ended(month, moment) THEN
        wrong := 'the month has not ended';
    END IF;

    -- The month is written into the text, so that other months' parts of the ledger are neither read nor locked.
    EXECUTE format($text$
        SELECT COALESCE(sum(logins), 0), COALESCE(jsonb_object_agg(first_day, logins), '{}') FROM (
            SELECT date_trunc('month', occurred_at)::date AS first_day, count(*) AS logins FROM usage_event
            WHERE tenant_id = $1 AND billing_period = %L GROUP BY 1) AS counted$text$, month) INTO ledger, occurred USING owner;
    IF ledger = 0 AND EXISTS (SELECT FROM tenant WHERE id = owner AND status = 'purged') THEN
        -- Only the numbers remain, and the digest of no events.
        SELECT COALESCE(sum(logins), 0), COALESCE(jsonb_object_agg(first_day, logins), '{}') INTO ledger, occurred FROM (
            SELECT date_trunc('month', day)::date AS first_day, sum(events) AS logins FROM usage_day
            WHERE tenant_id = owner AND billing_period = month AND kind = 'login' GROUP BY 1) AS counted;
        digested := sha256('');
    ELSIF ledger <= 100000 THEN
        EXECUTE format($text$
            SELECT sha256(convert_to(COALESCE(string_agg(concat_ws(E'\t', occurred_at, id, application_id, user_id, kind, connection)
                || E'\n', '' ORDER BY occurred_at, id), ''), 'UTF8'))
            FROM usage_event WHERE tenant_id = $1 AND billing_period = %L$text$, month) INTO digested USING owner;
    END IF;

    IF wrong IS NOT NULL THEN
        NULL;
    ELSIF counted IS DISTINCT FROM ledger THEN
        wrong := format('the ledger has %s events', ledger);
    ELSIF digested <> event_digest THEN
        wrong := 'the digest is not the one of these events';
    ELSIF EXISTS (SELECT FROM (
            SELECT l.service_period::text AS first_day, sum(l.quantity) AS logins
            FROM jsonb_populate_recordset(NULL::statement_line, lines) AS l
            WHERE l.kind IN ('included', 'logins', 'correction') GROUP BY 1) AS listed
        FULL JOIN jsonb_each_text(occurred) AS counted (first_day, logins) USING (first_day)
        WHERE COALESCE(listed.logins, 0) <> COALESCE(counted.logins::bigint, 0))
    THEN
        wrong := 'the lines do not have as many logins of each month';
    -- Only a month without a plan has no term.
    ELSIF jsonb_array_length(terms) = 0 AND EXISTS (SELECT FROM tenant_plan p
        JOIN rate_card r ON r.tenant_id = platform AND r.plan = p.plan AND r.effective_from <= month
        WHERE p.tenant_id = owner AND p.effective_at < (month + interval '1 month') AT TIME ZONE 'UTC' AND NOT EXISTS (
            SELECT FROM tenant_plan later WHERE later.tenant_id = owner AND later.effective_at > p.effective_at
                AND later.effective_at < month::timestamp AT TIME ZONE 'UTC'))
    THEN
        wrong := 'the month has no term';
    ELSIF EXISTS (SELECT FROM jsonb_populate_recordset(NULL::statement_term, terms) AS t
        WHERE t.first_day < month OR t.last_day > month_end OR NOT EXISTS (SELECT FROM rate_card r
            WHERE r.tenant_id IN (owner, platform) AND r.tenant_id = t.rate_card_owner AND r.id = t.rate_card_id))
    THEN
        wrong := 'a term is outside the month or has no rate card';
    ELSIF EXISTS (SELECT FROM jsonb_populate_recordset(NULL::statement_line, lines) AS l
        WHERE NOT EXISTS (SELECT FROM rate_card r WHERE r.tenant_id IN (owner, platform) AND r.id = l.rate_card_id
            AND r.version = l.rate_card_version AND r.currency = l.currency))
    THEN
        wrong := 'a line has no rate card';
    ELSIF EXISTS (SELECT FROM jsonb_populate_recordset(NULL::statement_line, lines) AS l
        WHERE l.kind = 'correction' AND l.service_period >= month OR l.kind <> 'correction' AND l.service_period <> month
            OR l.first_day < l.service_period OR l.last_day >= (l.service_period + interval '1 month')::date)
    THEN
        wrong := 'a line is for days of another month';
    ELSIF EXISTS (SELECT FROM jsonb_populate_recordset(NULL::statement_line, lines) AS l
        WHERE l.quantity < 0 OR l.kind = 'included' AND (l.exact_micros, l.amount_micros) <> (0, 0)
            OR l.kind = 'logins' AND l.exact_micros IS DISTINCT FROM l.quantity * l.unit_price_micros
            -- No currency's smallest coin is above one unit. Corrections are differences of several rounded amounts.
            OR l.kind IN ('base_fee', 'logins') AND abs(l.amount_micros - l.exact_micros) > 500000)
    THEN
        wrong := 'the amount of a line is not its quantity times its price';
    ELSIF EXISTS (SELECT FROM jsonb_populate_recordset(NULL::statement_line, lines) AS l
        JOIN rate_card r ON r.tenant_id IN (owner, platform) AND r.id = l.rate_card_id
        WHERE l.kind = 'logins' AND NOT EXISTS (SELECT FROM jsonb_array_elements(r.tiers) AS tier
                WHERE (tier->>'unit_price_micros')::bigint = l.unit_price_micros)
            -- A fee is for the days of its term, at most for the whole month.
            OR l.kind = 'base_fee' AND (l.unit_price_micros IS DISTINCT FROM r.base_fee_micros OR l.exact_micros NOT BETWEEN 0 AND r.base_fee_micros)
            OR l.kind = 'minimum' AND (l.unit_price_micros IS DISTINCT FROM r.minimum_micros
                OR l.exact_micros NOT BETWEEN 0 AND r.minimum_micros OR l.amount_micros NOT BETWEEN 0 AND r.minimum_micros + 500000))
    THEN
        wrong := 'the price of a line is not on its rate card';
    ELSIF EXISTS (SELECT FROM jsonb_populate_recordset(NULL::statement_line, lines) AS l
        WHERE l.kind IN ('base_fee', 'minimum') GROUP BY l.kind, l.first_day HAVING count(*) > 1)
    THEN
        wrong := 'a fee is charged twice';
    -- A late login may change the price of every login of its month. Each charge is rounded by at most 500000, before and after.
    ELSIF EXISTS (SELECT FROM jsonb_populate_recordset(NULL::statement_line, lines) AS l
        JOIN rate_card r ON r.tenant_id IN (owner, platform) AND r.id = l.rate_card_id,
        LATERAL (SELECT max((tier->>'unit_price_micros')::bigint)::numeric AS price, 1000000 * (count(*) + 2) AS rounding
            FROM jsonb_array_elements(r.tiers) AS tier) AS most,
        LATERAL (SELECT COALESCE(sum(s.quantity), 0) AS logins FROM statement_line s
            WHERE s.tenant_id = owner AND s.service_period = l.service_period
                AND s.kind IN ('included', 'logins', 'correction')) AS billed
        WHERE l.kind = 'correction' AND (abs(l.amount_micros - l.exact_micros) > most.rounding
            OR abs(l.exact_micros) > (l.quantity + billed.logins) * most.price + most.rounding))
    THEN
        wrong := 'a correction costs more than its month';
    END IF;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION '% of % stays open: %', to_char(month, 'YYYY-MM'), owner, wrong
            USING ERRCODE = 'check_violation', CONSTRAINT = 'statement_checked';
    END IF;

    INSERT INTO statement_term (tenant_id, period, first_day, last_day, rate_card_owner, rate_card_id)
    SELECT owner, month, t.first_day, t.last_day, t.rate_card_owner, t.rate_card_id
    FROM jsonb_populate_recordset(NULL::statement_term, terms) AS t;
    INSERT INTO statement_line (tenant_id, period, position, kind, service_period, first_day, last_day, plan, rate_card_id,
        rate_card_version, description, quantity, unit_price_micros, currency, exact_micros, amount_micros)
    SELECT owner, month, listed.number, l.kind, l.service_period, l.first_day, l.last_day, l.plan, l.rate_card_id,
        l.rate_card_version, l.description, l.quantity, l.unit_price_micros, l.currency, l.exact_micros, l.amount_micros
    FROM jsonb_array_elements(lines) WITH ORDINALITY AS listed (line, number),
        jsonb_populate_record(NULL::statement_line, listed.line) AS l;
    UPDATE statement SET state = 'closed', events = counted, digest = event_digest, closed_at = believed_time(moment)
    WHERE tenant_id = owner AND period = month;
END
$$;

-- Credentials -----------------------------------------------------------------------------------------------------------

-- A revocation is final, and an expiry only comes sooner. The owner of the schema is free.
CREATE FUNCTION credential_end_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER') THEN
        RAISE EXCEPTION 'the end of a row of % is neither postponed nor removed', TG_TABLE_NAME
            USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'credential_end_kept';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER credential_end_kept BEFORE UPDATE OF revoked_at, expires_at ON api_key FOR EACH ROW
    WHEN (COALESCE(NEW.revoked_at, 'infinity') > COALESCE(OLD.revoked_at, 'infinity')
        OR COALESCE(NEW.expires_at, 'infinity') > COALESCE(OLD.expires_at, 'infinity'))
    EXECUTE FUNCTION credential_end_kept();
CREATE TRIGGER credential_end_kept BEFORE UPDATE OF expires_at ON application_secret FOR EACH ROW
    WHEN (COALESCE(NEW.expires_at, 'infinity') > COALESCE(OLD.expires_at, 'infinity'))
    EXECUTE FUNCTION credential_end_kept();

-- Idempotency keys ------------------------------------------------------------------------------------------------------

-- Each new key counts the tenant's rows of a day. The primary key would need a page of the table for each of up to 10000 rows,
-- because the responses are in them.
CREATE INDEX idempotency_key_of_tenant ON idempotency_key (tenant_id, created_at);

-- Execution --------------------------------------------------------------------------------------------------------------

-- These triggers are the only writers of their tables, so they run as the owner of the schema.
ALTER FUNCTION session_ended() SECURITY DEFINER;
ALTER FUNCTION user_tokens_ended() SECURITY DEFINER;
ALTER FUNCTION tenant_plan_changed() SECURITY DEFINER;

DO $$
DECLARE
    function text;
BEGIN
    -- Temporary tables come last in the search path, so that a caller's own table does not replace a real one.
    FOREACH function IN ARRAY ARRAY['believed_time(timestamptz)', 'month_has_ended(date, timestamptz)', 'uuid_at(timestamptz)',
        'audit_actor_exists(text, uuid)', 'audit_event_chained()', 'take_statement(uuid, date, timestamptz, timestamptz)',
        'close_statement(uuid, date, timestamptz, bigint, bytea, timestamptz, jsonb, jsonb)', 'session_ended()',
        'user_tokens_ended()', 'tenant_plan_changed()', 'identity_gone()'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', function, current_schema());
        -- A role that may execute a trigger's function could put the trigger on a temporary table with rows of its choice.
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function);
    END LOOP;
END
$$;
-- The digest is over events as COPY writes them in these settings.
ALTER FUNCTION close_statement(uuid, date, timestamptz, bigint, bytea, timestamptz, jsonb, jsonb) SET timezone = 'UTC';
ALTER FUNCTION close_statement(uuid, date, timestamptz, bigint, bytea, timestamptz, jsonb, jsonb) SET datestyle = 'ISO';
GRANT EXECUTE ON FUNCTION take_statement(uuid, date, timestamptz, timestamptz),
    close_statement(uuid, date, timestamptz, bigint, bytea, timestamptz, jsonb, jsonb) TO espalier_server;

-- Grants ----------------------------------------------------------------------------------------------------------------

-- The chain is the trigger's.
REVOKE INSERT ON audit_event FROM espalier_server;
GRANT INSERT (tenant_id, id, occurred_at, actor, action, subject, address, request_id, before, after) ON audit_event
    TO espalier_server;
REVOKE INSERT, UPDATE ON statement FROM espalier_server;
GRANT UPDATE (claimed_until) ON statement TO espalier_server;
REVOKE INSERT ON statement_term, statement_line, revocation, backchannel_logout FROM espalier_server;
REVOKE INSERT, UPDATE ON tenant_plan FROM espalier_server;
-- The server removes none of these rows itself.
REVOKE DELETE ON api_key, identity, team_transfer, team_transfer_user, usage_month_user, webhook_delivery FROM espalier_server;
-- FOR UPDATE needs one column. It was the ID.
REVOKE UPDATE ON team_transfer_count FROM espalier_server;
GRANT UPDATE (collected) ON team_transfer_count TO espalier_server;

DO $$
DECLARE
    entry   record;
    columns text[];
BEGIN
    FOR entry IN SELECT * FROM (VALUES
        ('api_key', '{expires_at,revoked_at,rolled_to,updated_at,last_used_at,expiry_told_at}'::text[]),
        ('apple_key', '{sealed_pem,state,fingerprint,proven_at,usable_until,last_used_at,updated_at}'),
        ('apple_notification', '{state,outcome,users,attempts,waiting_since,updated_at}'),
        ('apple_revocation', '{sealed_grant,status,reason,attempts,last_tried_at,waiting_since,concluded_at}'),
        ('application', '{name,redirect_uris,logout_uris,backchannel_logout_uri,bundle_ids,requires_pkce,access_token_seconds,'
            'session_seconds,idle_seconds,signing_algorithm,updated_at}'),
        ('application_secret', '{expires_at}'),
        ('budget', '{logins,amount_micros,currency,is_hard,told_period,told_percent,refused_until,updated_at}'),
        ('connection', '{services_id,bundle_ids,email_sources,relink_until,checked_at,check_outcome,check_steps,check_due_at,'
            'check_claimed_at,updated_at}'),
        -- A key that is older than a day is another request's: its row is taken over.
        ('idempotency_key', '{body_digest,created_at,locked_until,sealed_answer}'),
        ('identity', '{sealed_refresh_token,apple_client_id,last_login_at,vouched_at,revoked_at}'),
        ('outbox', '{attempts,due_at}'),
        ('session', '{refresh_generation,refreshed_at,ended_at,ended_reason}'),
        ('signing_key', '{state,activated_at,retired_at,published_until}'),
        ('team_transfer', '{closes_at,closed_at,forgotten_at,updated_at}'),
        ('team_transfer_user', '{state,reason,moved_by,transfer_sub,updated_at}'),
        ('tenant_user', '{given_name,family_name,email,email_verified,is_private_email,email_disabled,email_event_at,'
            'tokens_valid_after,deleted_at,erase_after,updated_at}'),
        ('usage_day', '{events}'),
        ('usage_month_user', '{days}'),
        ('usage_sink', '{url,event_name,sealed_secret,status,delivered_at,failed_at,failure_status,failure,updated_at}'),
        ('usage_sink_batch', '{events}'),
        ('usage_sink_customer', '{customer_id,updated_at}'),
        ('usage_users', '{users}'),
        ('user_deletion', '{finished_at,updated_at}'),
        ('webhook_delivery', '{state,attempts,next_at,last_status,last_error,updated_at}'),
        ('webhook_endpoint', '{url,description,events,status,disabled_reason,updated_at}'),
        ('webhook_secret', '{expires_at}')
    ) AS listed (name, columns) LOOP
        -- With the columns that a migration has granted one by one, which the REVOKE would take, too.
        SELECT array_agg(DISTINCT name) INTO columns FROM (
            SELECT unnest(entry.columns) AS name
            UNION ALL SELECT attname::text FROM pg_attribute, aclexplode(attacl) AS acl
            WHERE attrelid = entry.name::regclass AND acl.grantee = 'espalier_server'::regrole AND acl.privilege_type = 'UPDATE'
        ) AS granted;
        EXECUTE format('REVOKE UPDATE ON %I FROM espalier_server', entry.name);
        EXECUTE format('GRANT UPDATE (%s) ON %I TO espalier_server',
            (SELECT string_agg(format('%I', name), ', ') FROM unnest(columns) AS name), entry.name);
    END LOOP;
END
$$;

-- A silent sign-in is a usage event of its own kind. By default it is free, and a rate card can price it.
--
-- Servers of the previous version continue to run. They sign in silently without an event, as before. They aggregate no events of the new
-- kind, because they would count their users. They close no month that has such events, because they would bill them as logins
-- (`close_statement` rejects this). A server of this version does both. They ignore the price.

-- Kinds -----------------------------------------------------------------------------------------------------------------

-- Every existing row has the kind `login`, so no row needs a check while the table is locked.
ALTER TABLE usage_event
    -- The name that 0013 gave it, because its predecessor had the other one.
    DROP CONSTRAINT usage_event_kind_check1,
    ADD CONSTRAINT usage_event_kind_check CHECK (kind IN ('login', 'silent_login')) NOT VALID;
ALTER DOMAIN usage_kind DROP CONSTRAINT usage_kind_check;
ALTER DOMAIN usage_kind ADD CONSTRAINT usage_kind_check CHECK (VALUE IN ('login', 'silent_login')) NOT VALID;

-- Prices ----------------------------------------------------------------------------------------------------------------

ALTER TABLE rate_card
    -- The price of a silent sign-in. It has no tiers, and no sign-ins are included.
    ADD COLUMN silent_login_micros bigint NOT NULL DEFAULT 0 CHECK (silent_login_micros BETWEEN 0 AND 1000000000);

ALTER TABLE statement_line
    DROP CONSTRAINT statement_line_kind_check,
    ADD CONSTRAINT statement_line_kind_check CHECK (kind IN ('base_fee', 'included', 'logins', 'silent_logins', 'minimum', 'correction',
        'silent_correction')) NOT VALID;

-- A process that aggregates says that it knows this kind. Other processes skip its events. With the next version, the trigger can go.
CREATE FUNCTION silent_login_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE WHEN current_setting('espalier.knows_silent_logins', true) = 'true' THEN OLD END;
END
$$;
CREATE TRIGGER silent_login_kept BEFORE DELETE ON usage_arrival FOR EACH ROW WHEN (OLD.kind <> 'login')
    EXECUTE FUNCTION silent_login_kept();

-- As in 0025. It counts logins and silent sign-ins separately. Each is in a line of its own kind, and the price of a silent sign-in is
-- the one on the rate card.
CREATE OR REPLACE FUNCTION close_statement(
    owner uuid, month date, claim timestamptz, counted bigint, event_digest bytea, moment timestamptz, terms jsonb, lines jsonb
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    platform CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    month_end CONSTANT date := (month + interval '1 month')::date - 1;
    ledger   bigint;
    -- The same events, by the month in which they occurred: `{"2026-11-01": {"logins": 10, "silent": 2}}`.
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
        SELECT COALESCE(sum(logins + silent), 0),
            COALESCE(jsonb_object_agg(first_day, jsonb_build_object('logins', logins, 'silent', silent)), '{}')
        FROM (
            SELECT date_trunc('month', occurred_at)::date AS first_day, count(*) FILTER (WHERE kind = 'login') AS logins,
                count(*) FILTER (WHERE kind = 'silent_login') AS silent
            FROM usage_event WHERE tenant_id = $1 AND billing_period = %L GROUP BY 1) AS counted$text$, month) INTO ledger, occurred USING owner;
    IF ledger = 0 AND EXISTS (SELECT FROM tenant WHERE id = owner AND status = 'purged') THEN
        -- Only the numbers remain, and the digest of no events.
        SELECT COALESCE(sum(logins), 0), COALESCE(jsonb_object_agg(first_day, jsonb_build_object('logins', logins, 'silent', 0)), '{}')
        INTO ledger, occurred FROM (
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
            SELECT l.service_period::text AS first_day,
                COALESCE(sum(l.quantity) FILTER (WHERE l.kind IN ('included', 'logins', 'correction')), 0) AS logins,
                COALESCE(sum(l.quantity) FILTER (WHERE l.kind IN ('silent_logins', 'silent_correction')), 0) AS silent
            FROM jsonb_populate_recordset(NULL::statement_line, lines) AS l GROUP BY 1) AS listed
        FULL JOIN jsonb_each(occurred) AS counted (first_day, events) USING (first_day)
        WHERE COALESCE(listed.logins, 0) <> COALESCE((counted.events->>'logins')::bigint, 0)
            OR COALESCE(listed.silent, 0) <> COALESCE((counted.events->>'silent')::bigint, 0))
    THEN
        wrong := 'the lines do not have as many logins and silent sign-ins of each month';
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
        WHERE l.kind IN ('correction', 'silent_correction') AND l.service_period >= month
            OR l.kind NOT IN ('correction', 'silent_correction') AND l.service_period <> month
            OR l.first_day < l.service_period OR l.last_day >= (l.service_period + interval '1 month')::date)
    THEN
        wrong := 'a line is for days of another month';
    ELSIF EXISTS (SELECT FROM jsonb_populate_recordset(NULL::statement_line, lines) AS l
        WHERE l.quantity < 0 OR l.kind = 'included' AND (l.exact_micros, l.amount_micros) <> (0, 0)
            OR l.kind IN ('logins', 'silent_logins') AND l.exact_micros IS DISTINCT FROM l.quantity * l.unit_price_micros
            -- No currency's smallest coin is above one unit. Corrections are differences of several rounded amounts.
            OR l.kind IN ('base_fee', 'logins', 'silent_logins') AND abs(l.amount_micros - l.exact_micros) > 500000)
    THEN
        wrong := 'the amount of a line is not its quantity times its price';
    ELSIF EXISTS (SELECT FROM jsonb_populate_recordset(NULL::statement_line, lines) AS l
        JOIN rate_card r ON r.tenant_id IN (owner, platform) AND r.id = l.rate_card_id
        WHERE l.kind = 'logins' AND NOT EXISTS (SELECT FROM jsonb_array_elements(r.tiers) AS tier
                WHERE (tier->>'unit_price_micros')::bigint = l.unit_price_micros)
            OR l.kind = 'silent_logins' AND l.unit_price_micros IS DISTINCT FROM r.silent_login_micros
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
    -- The price of a silent sign-in depends on no other. The amount is less if it only reaches a minimum.
    -- Then the difference has the rounding of all charges of the month.
    ELSIF EXISTS (SELECT FROM jsonb_populate_recordset(NULL::statement_line, lines) AS l
        JOIN rate_card r ON r.tenant_id IN (owner, platform) AND r.id = l.rate_card_id,
        LATERAL (SELECT 1000000 * (jsonb_array_length(r.tiers) + 3) AS rounding) AS most
        WHERE l.kind = 'silent_correction' AND CASE WHEN r.silent_login_micros = 0 THEN (l.exact_micros, l.amount_micros) <> (0, 0)
            ELSE abs(l.amount_micros - l.exact_micros) > most.rounding
                OR abs(l.exact_micros) > l.quantity * r.silent_login_micros::numeric + most.rounding END)
    THEN
        wrong := 'a correction of silent sign-ins costs more than its rate card says';
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

-- As in 0029, with the lines of silent sign-ins.
CREATE OR REPLACE FUNCTION statement_sums_checked() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    platform   CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    month_end  CONSTANT date := (NEW.period + interval '1 month')::date - 1;
    month_days CONSTANT integer := extract(day FROM (NEW.period + interval '1 month')::date - 1);
    has_terms  CONSTANT boolean := EXISTS (SELECT FROM statement_term t WHERE t.tenant_id = NEW.tenant_id AND t.period = NEW.period);
    has_plan   CONSTANT boolean := EXISTS (SELECT FROM tenant_plan p
        WHERE p.tenant_id = NEW.tenant_id AND p.plan IS NOT NULL
            AND p.effective_at < (NEW.period + interval '1 month') AT TIME ZONE 'UTC'
            AND NOT EXISTS (SELECT FROM tenant_plan later WHERE later.tenant_id = p.tenant_id AND later.effective_at > p.effective_at
                AND later.effective_at < NEW.period::timestamp AT TIME ZONE 'UTC'));
    wrong      text;
BEGIN
    IF pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER') THEN
        RETURN NEW;
    END IF;
    IF has_terms <> has_plan THEN
        wrong := 'a month has terms if the tenant had a plan in it, and only then';
    ELSIF EXISTS (SELECT FROM statement_term t JOIN statement_term later
        ON later.tenant_id = t.tenant_id AND later.period = t.period AND later.first_day > t.first_day AND later.first_day <= t.last_day
        WHERE t.tenant_id = NEW.tenant_id AND t.period = NEW.period)
    THEN
        wrong := 'two terms overlap';
    -- Each term is rounded individually.
    ELSIF EXISTS (SELECT FROM statement_term t JOIN statement_term next ON next.tenant_id = t.tenant_id AND next.period = t.period
        AND next.first_day = t.last_day + 1 AND (next.rate_card_owner, next.rate_card_id) = (t.rate_card_owner, t.rate_card_id)
        WHERE t.tenant_id = NEW.tenant_id AND t.period = NEW.period)
    THEN
        wrong := 'two terms in a row have the same rate card';
    ELSIF EXISTS (SELECT FROM statement_line l JOIN rate_card r ON r.tenant_id IN (l.tenant_id, platform) AND r.id = l.rate_card_id
        WHERE l.tenant_id = NEW.tenant_id AND l.period = NEW.period AND (r.effective_from > l.last_day
            OR r.plan <> 'free' AND NOT EXISTS (SELECT FROM tenant_plan p WHERE p.tenant_id = l.tenant_id AND p.plan = r.plan)))
    THEN
        wrong := 'the rate card of a line was not in effect, or is for a plan that the tenant never had';
    ELSIF EXISTS (SELECT FROM statement_line l
        WHERE l.tenant_id = NEW.tenant_id AND l.period = NEW.period AND l.kind NOT IN ('correction', 'silent_correction') AND NOT CASE
            WHEN has_terms THEN EXISTS (SELECT FROM statement_term t WHERE t.tenant_id = l.tenant_id AND t.period = l.period
                AND t.first_day = l.first_day AND t.last_day = l.last_day AND t.rate_card_id = l.rate_card_id)
            ELSE l.kind IN ('included', 'logins', 'silent_logins') AND (l.first_day, l.last_day) = (NEW.period, month_end) END)
    THEN
        wrong := 'a line is for no term';
    ELSIF EXISTS (SELECT FROM statement_line l JOIN rate_card r ON r.tenant_id IN (l.tenant_id, platform) AND r.id = l.rate_card_id
        WHERE l.tenant_id = NEW.tenant_id AND l.period = NEW.period AND l.kind NOT IN ('correction', 'silent_correction')
        GROUP BY l.first_day, l.kind
        HAVING count(*) > CASE WHEN l.kind = 'logins' THEN max(jsonb_array_length(r.tiers)) ELSE 1 END)
    THEN
        wrong := 'a fee or a tier is charged twice';
    ELSIF EXISTS (SELECT FROM statement_line l JOIN rate_card r ON r.tenant_id IN (l.tenant_id, platform) AND r.id = l.rate_card_id,
        LATERAL (SELECT l.last_day - l.first_day + 1 AS days) AS term
        WHERE l.tenant_id = NEW.tenant_id AND l.period = NEW.period AND (
            -- Rounded up to a login, and to the nearest millionth.
            l.kind = 'included' AND l.quantity * month_days::numeric > r.included_logins * term.days::numeric + month_days - 1
            OR l.kind = 'base_fee' AND l.exact_micros * month_days::numeric > r.base_fee_micros * term.days::numeric + month_days
            -- To the nearest coin, from an amount that is itself rounded to the nearest millionth.
            OR l.kind IN ('base_fee', 'logins', 'silent_logins') AND (l.exact_micros < 0
                OR 2 * abs(l.amount_micros - l.exact_micros) > smallest_micros(l.currency) + 2)
            -- It makes up the rest, so all lines of the term together.
            OR l.kind = 'minimum' AND ((SELECT sum(s.amount_micros) FROM statement_line s
                WHERE s.tenant_id = l.tenant_id AND s.period = l.period AND s.kind NOT IN ('correction', 'silent_correction')
                    AND s.first_day = l.first_day)
                - smallest_micros(l.currency)) * month_days::numeric > r.minimum_micros * term.days::numeric))
    THEN
        wrong := 'a fee or the included logins are more than the share of their days';
    ELSIF EXISTS (SELECT FROM statement_line l
        WHERE l.tenant_id = NEW.tenant_id AND l.period = NEW.period AND l.kind IN ('correction', 'silent_correction')
            AND (l.quantity < 1 OR EXISTS (SELECT FROM statement_line other WHERE other.tenant_id = l.tenant_id AND other.period = l.period
                AND other.kind = l.kind AND other.position <> l.position AND other.service_period = l.service_period
                AND other.first_day <= l.last_day AND other.last_day >= l.first_day)))
    THEN
        wrong := 'a correction has no login or silent sign-in, or shares its days with another';
    -- Each line may be rounded as in `close_statement`.
    ELSIF EXISTS (SELECT FROM statement_line l JOIN rate_card r ON r.tenant_id IN (l.tenant_id, platform) AND r.id = l.rate_card_id,
        LATERAL (SELECT max((tier->>'unit_price_micros')::bigint)::numeric AS price, 1000000 * (count(*) + 2) AS rounding
            FROM jsonb_array_elements(r.tiers) AS tier) AS most
        WHERE l.tenant_id = NEW.tenant_id AND l.period = NEW.period AND l.kind = 'correction'
        GROUP BY l.service_period
        HAVING sum(abs(l.exact_micros)) > max(most.price) * (sum(l.quantity) + COALESCE((SELECT sum(s.quantity) FROM statement_line s
                WHERE s.tenant_id = NEW.tenant_id AND s.period < NEW.period AND s.service_period = l.service_period
                    AND s.kind IN ('included', 'logins', 'correction')), 0)) + sum(most.rounding))
    THEN
        wrong := 'the corrections cost more than their month';
    END IF;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION '% of % stays open: %', to_char(NEW.period, 'YYYY-MM'), NEW.tenant_id, wrong
            USING ERRCODE = 'check_violation', CONSTRAINT = 'statement_checked';
    END IF;
    RETURN NEW;
END
$$;

-- Sinks -----------------------------------------------------------------------------------------------------------------

-- As in 0027. A meter of Stripe counts logins only. As CloudEvents, silent sign-ins have a type of their own.
CREATE OR REPLACE FUNCTION feed_usage_sink() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    platform CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    -- As many as go into one request.
    most     CONSTANT integer := 100;
    sink     usage_sink;
BEGIN
    SELECT * INTO sink FROM usage_sink WHERE tenant_id = platform;
    IF sink.id IS NULL THEN
        RETURN NULL;
    END IF;
    IF sink.format = 'stripe' THEN
        -- Held as well by the process that fixes meter events ("metr" in ASCII): the next statement sees which of them still collect.
        PERFORM pg_advisory_xact_lock(1835365490, 0);
        INSERT INTO usage_meter_event AS open (tenant_id, id, sink_id, starts_at, sequence, logins, created_at)
        SELECT minute.tenant_id,
            -- A UUIDv7 of the minute: lists are in the order of time.
            (lpad(to_hex((extract(epoch FROM minute.starts_at) * 1000)::bigint), 12, '0') || '7'
                || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid,
            sink.id, minute.starts_at,
            COALESCE((SELECT max(sequence) + 1 FROM usage_meter_event AS known
                WHERE known.tenant_id = minute.tenant_id AND known.starts_at = minute.starts_at), 0),
            minute.logins, now()
        FROM (SELECT tenant_id, date_trunc('minute', occurred_at, 'UTC') AS starts_at, count(*) AS logins FROM taken
            WHERE kind = 'login' GROUP BY 1, 2) AS minute
        ON CONFLICT (tenant_id, starts_at, sink_id) WHERE fixed_at IS NULL DO UPDATE SET logins = open.logins + excluded.logins;
        RETURN NULL;
    END IF;
    WITH numbered AS (
        SELECT taken.*, (row_number() OVER (ORDER BY occurred_at, tenant_id, id) - 1) / most AS number FROM taken),
    batch AS MATERIALIZED (
        SELECT number, gen_random_uuid() AS id, count(*) AS events FROM numbered GROUP BY number),
    made AS (
        INSERT INTO usage_sink_batch (tenant_id, id, sink_id, events, created_at)
        SELECT platform, id, sink.id, events, now() FROM batch),
    fed AS (
        INSERT INTO usage_sink_event (tenant_id, id, batch_id, occurred_at, billing_period, application_id, user_id, kind, connection)
        SELECT numbered.tenant_id, numbered.id, batch.id, occurred_at, billing_period, application_id, user_id, kind, connection
        FROM numbered JOIN batch USING (number))
    INSERT INTO outbox (tenant_id, id, kind, subject, created_at, due_at)
    SELECT platform, id, 'usage_sink', id, now(), now() FROM batch;
    RETURN NULL;
END
$$;

-- Execution --------------------------------------------------------------------------------------------------------------

DO $$
DECLARE
    function text;
BEGIN
    FOREACH function IN ARRAY ARRAY['silent_login_kept()', 'statement_sums_checked()', 'feed_usage_sink()',
        'close_statement(uuid, date, timestamptz, bigint, bytea, timestamptz, jsonb, jsonb)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', function, current_schema());
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION silent_login_kept() FROM PUBLIC;
-- The digest is over events as COPY writes them in these settings.
ALTER FUNCTION close_statement(uuid, date, timestamptz, bigint, bytea, timestamptz, jsonb, jsonb) SET timezone = 'UTC';
ALTER FUNCTION close_statement(uuid, date, timestamptz, bigint, bytea, timestamptz, jsonb, jsonb) SET datestyle = 'ISO';

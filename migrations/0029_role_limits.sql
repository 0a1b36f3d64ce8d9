-- More limits of the server's role. 0025 checks each line of a statement alone, so many lines together could cost any amount. It
-- kept the end of an API key and of a client secret, but not the end of a session. And a temporary table of the caller could lead
-- one of its triggers.
--
-- Servers of the version before continue to run, and close months.

-- Statements ------------------------------------------------------------------------------------------------------------

-- A plan begins at the database's time, so that no month of the past gets a plan, and with it a fee. As in 0014 otherwise.
CREATE OR REPLACE FUNCTION tenant_plan_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    is_owner CONSTANT boolean := pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER');
BEGIN
    INSERT INTO tenant_plan (tenant_id, effective_at, plan)
        VALUES (NEW.id, CASE WHEN is_owner THEN NEW.updated_at ELSE believed_time(NEW.updated_at) END,
            CASE WHEN NEW.status IN ('active', 'suspended') THEN NEW.plan END)
        ON CONFLICT (tenant_id, effective_at) DO UPDATE SET plan = excluded.plan;
    RETURN NULL;
END
$$;

-- A process has a month for minutes, and says again and again that it still has it. A claim without an end would keep the month
-- open for good. A month before the tenant's first plan is closed only for its logins.
CREATE FUNCTION statement_claim_checked() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER') THEN
        RETURN NEW;
    END IF;
    IF NEW.claimed_until > clock_timestamp() + interval '1 day' AND NOT EXISTS (SELECT FROM simulated_clock) THEN
        RAISE EXCEPTION 'a month is claimed for at most a day' USING ERRCODE = 'check_violation', CONSTRAINT = 'statement_claim_checked';
    END IF;
    IF TG_OP = 'INSERT'
        AND NOT EXISTS (SELECT FROM tenant_plan p
            WHERE p.tenant_id = NEW.tenant_id AND p.effective_at < (NEW.period + interval '1 month') AT TIME ZONE 'UTC')
    THEN
        -- Alone, so that a later claim does not lock the ledger.
        IF NOT EXISTS (SELECT FROM usage_event e WHERE e.tenant_id = NEW.tenant_id AND e.billing_period = NEW.period) THEN
            RAISE EXCEPTION 'the tenant had neither a plan nor logins in %', to_char(NEW.period, 'YYYY-MM')
                USING ERRCODE = 'check_violation', CONSTRAINT = 'statement_claim_checked';
        END IF;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER statement_claim_checked BEFORE INSERT OR UPDATE OF claimed_until ON statement FOR EACH ROW
    EXECUTE FUNCTION statement_claim_checked();

-- The smallest amount that can be paid, in millionths of the unit: what the code says of each currency.
CREATE FUNCTION smallest_micros(currency text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF')
            THEN 1000000
        WHEN currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') THEN 1000
        WHEN currency IN ('CLF', 'UYW') THEN 100
        ELSE 10000
    END
$$;

-- Checks the lines of a month together, after `close_statement` has checked each of them and before the month is closed. The lines
-- of the month belong to its terms, and the terms do not overlap. Each term has at most one base fee, one minimum and one line of
-- included logins, each at most the share of its days in the month, and a line for each tier. Corrections of a month cost at most
-- the highest price for each of its logins, all together.
CREATE FUNCTION statement_sums_checked() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
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
        WHERE l.tenant_id = NEW.tenant_id AND l.period = NEW.period AND l.kind <> 'correction' AND NOT CASE
            WHEN has_terms THEN EXISTS (SELECT FROM statement_term t WHERE t.tenant_id = l.tenant_id AND t.period = l.period
                AND t.first_day = l.first_day AND t.last_day = l.last_day AND t.rate_card_id = l.rate_card_id)
            ELSE l.kind IN ('included', 'logins') AND (l.first_day, l.last_day) = (NEW.period, month_end) END)
    THEN
        wrong := 'a line is for no term';
    ELSIF EXISTS (SELECT FROM statement_line l JOIN rate_card r ON r.tenant_id IN (l.tenant_id, platform) AND r.id = l.rate_card_id
        WHERE l.tenant_id = NEW.tenant_id AND l.period = NEW.period AND l.kind <> 'correction'
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
            OR l.kind IN ('base_fee', 'logins') AND (l.exact_micros < 0
                OR 2 * abs(l.amount_micros - l.exact_micros) > smallest_micros(l.currency) + 2)
            -- It makes up the rest, so all lines of the term together.
            OR l.kind = 'minimum' AND ((SELECT sum(s.amount_micros) FROM statement_line s
                WHERE s.tenant_id = l.tenant_id AND s.period = l.period AND s.kind <> 'correction' AND s.first_day = l.first_day)
                - smallest_micros(l.currency)) * month_days::numeric > r.minimum_micros * term.days::numeric))
    THEN
        wrong := 'a fee or the included logins are more than the share of their days';
    ELSIF EXISTS (SELECT FROM statement_line l
        WHERE l.tenant_id = NEW.tenant_id AND l.period = NEW.period AND l.kind = 'correction' AND (l.quantity < 1
            OR EXISTS (SELECT FROM statement_line other WHERE other.tenant_id = l.tenant_id AND other.period = l.period
                AND other.kind = 'correction' AND other.position <> l.position AND other.service_period = l.service_period
                AND other.first_day <= l.last_day AND other.last_day >= l.first_day)))
    THEN
        wrong := 'a correction has no login, or shares its days with another';
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
CREATE TRIGGER statement_sums_checked BEFORE UPDATE OF state ON statement FOR EACH ROW
    WHEN (OLD.state = 'closing' AND NEW.state = 'closed') EXECUTE FUNCTION statement_sums_checked();

-- Ends ------------------------------------------------------------------------------------------------------------------

-- A session that has ended, and tokens that were ended all together, do not return; nor does a user who was deleted.
CREATE TRIGGER session_end_kept BEFORE UPDATE OF ended_at ON session FOR EACH ROW
    WHEN (OLD.ended_at IS NOT NULL AND NEW.ended_at IS NULL) EXECUTE FUNCTION credential_end_kept();
CREATE TRIGGER tokens_end_kept BEFORE UPDATE OF tokens_valid_after ON tenant FOR EACH ROW
    WHEN (COALESCE(NEW.tokens_valid_after, '-infinity') < OLD.tokens_valid_after) EXECUTE FUNCTION credential_end_kept();
CREATE TRIGGER tokens_end_kept BEFORE UPDATE OF tokens_valid_after, deleted_at ON tenant_user FOR EACH ROW
    WHEN (COALESCE(NEW.tokens_valid_after, '-infinity') < OLD.tokens_valid_after
        OR OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NULL)
    EXECUTE FUNCTION credential_end_kept();

-- Execution --------------------------------------------------------------------------------------------------------------

DO $$
DECLARE
    function regprocedure;
BEGIN
    -- Every trigger looks names up in the catalog and in this schema, and in the caller's temporary tables last. A role that may
    -- execute a trigger's function could put the trigger on a temporary table with rows of its choice.
    FOR function IN SELECT p.oid::regprocedure FROM pg_proc AS p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.prorettype = 'trigger'::regtype
            AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', function, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function);
    END LOOP;
END
$$;

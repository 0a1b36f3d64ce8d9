-- A sink of the format `stripe` sends one meter event per tenant and minute.

-- A meter event is open first: it collects the logins of its minute as they are added up. Before it is sent for the first time it is
-- fixed, in a transaction of its own. From then on neither its identifier nor its number of logins changes, so every attempt sends the
-- same. A login that is added up later belongs to the next sequence of its minute. A meter event that was taken stays for 36 days: the
-- sequence must not be used again while Stripe takes events of that minute, and the comparison with Stripe needs the numbers.
CREATE TABLE usage_meter_event (
    tenant_id      uuid        NOT NULL,
    id             uuid        NOT NULL,
    sink_id        uuid        NOT NULL,
    -- The start of the minute. A single login's own time, where sequence is null.
    starts_at      timestamptz NOT NULL,
    -- Counts the meter events of a minute from 0; part of the identifier. Null: one login, which an earlier version has perhaps sent under
    -- the login's ID, which is then `id`.
    sequence       integer     CHECK (sequence >= 0),
    logins         integer     NOT NULL CHECK (logins > 0),
    -- When it stopped collecting. Null: it is open.
    fixed_at       timestamptz,
    -- The customer and the meter at Stripe. Both are set with sent_at, and kept as long as Stripe may have counted it.
    customer_id    text,
    event_name     text,
    -- Before the first request that Stripe may have counted. Null: it cannot have been counted.
    sent_at        timestamptz,
    attempts       integer     NOT NULL DEFAULT 0,
    due_at         timestamptz NOT NULL DEFAULT '-infinity',
    taken_at       timestamptz,
    -- When it was set aside, why, and with which HTTP status, where Stripe rejected it.
    refused_at     timestamptz,
    refused_reason text        CHECK (refused_reason IN ('refused', 'uncertain', 'too_old')),
    refused_status integer,
    created_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, starts_at, sequence),
    CHECK (sent_at IS NULL OR fixed_at IS NOT NULL AND customer_id IS NOT NULL AND event_name IS NOT NULL),
    CHECK (taken_at IS NULL OR sent_at IS NOT NULL),
    CHECK ((refused_at IS NULL) = (refused_reason IS NULL)),
    CHECK (refused_at IS NULL OR taken_at IS NULL)
);
-- At most one collects.
CREATE UNIQUE INDEX usage_meter_event_open ON usage_meter_event (tenant_id, starts_at, sink_id) WHERE fixed_at IS NULL;
CREATE INDEX usage_meter_event_waiting ON usage_meter_event (tenant_id, starts_at) WHERE taken_at IS NULL AND refused_at IS NULL;
CREATE INDEX usage_meter_event_refused ON usage_meter_event (refused_at) WHERE refused_at IS NOT NULL;
CREATE INDEX usage_meter_event_age ON usage_meter_event (starts_at);

ALTER TABLE usage_meter_event ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON usage_meter_event
    USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
-- Inserted by the schema itself. The number of logins never changes by another's hand.
GRANT SELECT, DELETE,
    UPDATE (fixed_at, customer_id, event_name, sent_at, attempts, due_at, taken_at, refused_at, refused_reason, refused_status)
    ON usage_meter_event TO espalier_server;

-- One process sends at a time, so that a customer has at most one request under way. It holds the lease, and names its number when it
-- gives it back. `resume_at` is the earliest time for the next request: of the sink, and of one customer.
ALTER TABLE usage_sink
    ADD COLUMN lease        bigint      NOT NULL DEFAULT 0,
    ADD COLUMN leased_until timestamptz NOT NULL DEFAULT '-infinity',
    ADD COLUMN resume_at    timestamptz NOT NULL DEFAULT '-infinity',
    ADD COLUMN failures     integer     NOT NULL DEFAULT 0;
ALTER TABLE usage_sink_customer
    ADD COLUMN resume_at    timestamptz NOT NULL DEFAULT '-infinity',
    ADD COLUMN failures     integer     NOT NULL DEFAULT 0;
GRANT UPDATE (lease, leased_until, resume_at, failures) ON usage_sink TO espalier_server;
GRANT UPDATE (resume_at, failures) ON usage_sink_customer TO espalier_server;

-- As in 0017. Logins for Stripe are added to their minute instead.
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
        FROM (SELECT tenant_id, date_trunc('minute', occurred_at, 'UTC') AS starts_at, count(*) AS logins FROM taken GROUP BY 1, 2) AS minute
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

-- Logins that wait for Stripe keep the identifier under which an earlier version may have sent them. If the tenant has a customer,
-- they may be in progress at this moment, so they count as sent. If it has none, they cannot be.
INSERT INTO usage_meter_event (tenant_id, id, sink_id, starts_at, logins, fixed_at, customer_id, event_name, sent_at, refused_at,
    refused_reason, refused_status, created_at)
SELECT e.tenant_id, e.id, s.id, e.occurred_at, 1, now(), c.customer_id, CASE WHEN c.customer_id IS NOT NULL THEN s.event_name END,
    CASE WHEN c.customer_id IS NOT NULL AND e.refused_status IS NULL THEN COALESCE(e.uncertain_since, now()) END, e.refused_at,
    CASE WHEN e.refused_at IS NULL THEN NULL WHEN e.refused_status IS NULL THEN 'uncertain' ELSE 'refused' END, e.refused_status,
    b.created_at
FROM usage_sink s JOIN usage_sink_batch b ON b.tenant_id = s.tenant_id AND b.sink_id = s.id JOIN usage_sink_event e ON e.batch_id = b.id
    LEFT JOIN usage_sink_customer c ON c.tenant_id = e.tenant_id
WHERE s.format = 'stripe' AND NOT (c.tenant_id IS NOT NULL AND c.customer_id IS NULL);
DELETE FROM outbox USING usage_sink_batch b, usage_sink s
WHERE outbox.tenant_id = b.tenant_id AND outbox.id = b.id AND b.tenant_id = s.tenant_id AND b.sink_id = s.id AND s.format = 'stripe';
DELETE FROM usage_sink_event USING usage_sink_batch b, usage_sink s
WHERE batch_id = b.id AND b.tenant_id = s.tenant_id AND b.sink_id = s.id AND s.format = 'stripe';
DELETE FROM usage_sink_batch b USING usage_sink s WHERE b.tenant_id = s.tenant_id AND b.sink_id = s.id AND s.format = 'stripe';

-- As in 0020: the name of a purged tenant's customer goes with the last of what waits for the meter.
CREATE OR REPLACE FUNCTION forget_usage_sink_users() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    UPDATE usage_sink_event SET user_id = NULL WHERE tenant_id = NEW.id;
    DELETE FROM usage_sink_customer
    WHERE tenant_id = NEW.id AND NOT EXISTS (SELECT FROM usage_sink_event WHERE tenant_id = NEW.id)
        AND NOT EXISTS (SELECT FROM usage_meter_event WHERE tenant_id = NEW.id AND taken_at IS NULL);
    RETURN NULL;
END
$$;
CREATE OR REPLACE FUNCTION forget_usage_sink_customer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    customer uuid;
BEGIN
    -- Two that take the last events at once wait for each other here, and the second then sees that there are none.
    FOR customer IN
        SELECT c.tenant_id FROM usage_sink_customer AS c JOIN tenant ON tenant.id = c.tenant_id
        WHERE c.tenant_id IN (SELECT taken.tenant_id FROM taken) AND tenant.status = 'purged' ORDER BY 1 FOR UPDATE OF c
    LOOP
        DELETE FROM usage_sink_customer
        WHERE tenant_id = customer AND NOT EXISTS (SELECT FROM usage_sink_event WHERE tenant_id = customer)
            AND NOT EXISTS (SELECT FROM usage_meter_event WHERE tenant_id = customer AND taken_at IS NULL);
    END LOOP;
    RETURN NULL;
END
$$;
CREATE TRIGGER forget_usage_sink_customer AFTER UPDATE ON usage_meter_event REFERENCING NEW TABLE AS taken
    FOR EACH STATEMENT EXECUTE FUNCTION forget_usage_sink_customer();
CREATE TRIGGER forget_usage_sink_customer_too AFTER DELETE ON usage_meter_event REFERENCING OLD TABLE AS taken
    FOR EACH STATEMENT EXECUTE FUNCTION forget_usage_sink_customer();

DO $$
DECLARE
    function text;
BEGIN
    FOREACH function IN ARRAY ARRAY['feed_usage_sink()', 'forget_usage_sink_users()', 'forget_usage_sink_customer()'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', function, current_schema());
    END LOOP;
END
$$;

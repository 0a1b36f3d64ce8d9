-- Usage pushed to another system's meter.

-- Where it goes. One for the platform.
CREATE TABLE usage_sink (
    -- Whose it is: the platform's.
    tenant_id      uuid        NOT NULL,
    id             uuid        NOT NULL,
    -- cloudevents: batches of CloudEvents, as OpenMeter takes them. stripe: meter events, one a request.
    format         text        NOT NULL CHECK (format IN ('cloudevents', 'stripe')),
    url            text        NOT NULL CHECK (length(url) <= 2000),
    -- Stripe's name of what the meter counts.
    event_name     text        CHECK (length(event_name) BETWEEN 1 AND 100),
    -- The bearer token, where there is one.
    sealed_secret  bytea,
    -- paused: what comes waits.
    status         text        NOT NULL CHECK (status IN ('enabled', 'paused')),
    -- When something was taken the last time, and when and why something was not.
    delivered_at   timestamptz,
    failed_at      timestamptz,
    failure_status integer,
    failure        text,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id),
    UNIQUE (tenant_id, id),
    CHECK ((format = 'stripe') = (event_name IS NOT NULL)),
    CHECK (format <> 'stripe' OR sealed_secret IS NOT NULL)
);

-- Events that are sent together: the subject of the outbox's entry, which has the same id.
CREATE TABLE usage_sink_batch (
    -- The sink's owner: a batch holds events of many tenants, so that many small ones are few requests.
    tenant_id  uuid        NOT NULL,
    id         uuid        NOT NULL,
    sink_id    uuid        NOT NULL,
    -- How many are not taken yet.
    events     integer     NOT NULL CHECK (events >= 0),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX usage_sink_batch_created_at ON usage_sink_batch (tenant_id, created_at);

-- What is to be sent, until it is taken.
CREATE TABLE usage_sink_event (
    tenant_id      uuid        NOT NULL,
    -- The login's: by it the receiver counts once.
    id             uuid        NOT NULL,
    batch_id       uuid        NOT NULL,
    occurred_at    timestamptz NOT NULL,
    billing_period date        NOT NULL,
    application_id uuid        NOT NULL,
    user_id        uuid        NOT NULL,
    kind           text        NOT NULL,
    connection     text        NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX usage_sink_event_of ON usage_sink_event (batch_id);

-- What Stripe calls a tenant. Null: its logins are not sent there. Without a row they wait for one.
CREATE TABLE usage_sink_customer (
    tenant_id   uuid        NOT NULL,
    customer_id text        CHECK (length(customer_id) BETWEEN 1 AND 255),
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id)
);

-- What is added up leaves usage_arrival, each event once; in the same transaction it is handed to the sink, if there is one. So a login
-- costs nothing more for it, and no event is left out or handed over twice, whoever adds up and whatever dies.
CREATE FUNCTION feed_usage_sink() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    platform CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    -- As many as go into one request.
    most     CONSTANT integer := 100;
    sink     uuid;
BEGIN
    SELECT id INTO sink FROM usage_sink WHERE tenant_id = platform;
    IF sink IS NULL THEN
        RETURN NULL;
    END IF;
    WITH numbered AS (
        SELECT taken.*, (row_number() OVER (ORDER BY occurred_at, tenant_id, id) - 1) / most AS number FROM taken),
    batch AS MATERIALIZED (
        SELECT number, gen_random_uuid() AS id, count(*) AS events FROM numbered GROUP BY number),
    made AS (
        INSERT INTO usage_sink_batch (tenant_id, id, sink_id, events, created_at)
        SELECT platform, id, sink, events, now() FROM batch),
    fed AS (
        INSERT INTO usage_sink_event (tenant_id, id, batch_id, occurred_at, billing_period, application_id, user_id, kind, connection)
        SELECT numbered.tenant_id, numbered.id, batch.id, occurred_at, billing_period, application_id, user_id, kind, connection
        FROM numbered JOIN batch USING (number))
    INSERT INTO outbox (tenant_id, id, kind, subject, created_at, due_at)
    SELECT platform, id, 'usage_sink', id, now(), now() FROM batch;
    RETURN NULL;
END
$$;
CREATE TRIGGER feed_usage_sink AFTER DELETE ON usage_arrival REFERENCING OLD TABLE AS taken
    FOR EACH STATEMENT EXECUTE FUNCTION feed_usage_sink();

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['usage_sink', 'usage_sink_batch', 'usage_sink_event', 'usage_sink_customer'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY tenant_isolation ON %I
            USING (current_setting(''espalier.tenant'', true) IN (tenant_id::text, ''platform''))', name);
    END LOOP;
    EXECUTE format('ALTER FUNCTION feed_usage_sink() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;
REVOKE ALL ON FUNCTION feed_usage_sink() FROM PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON usage_sink, usage_sink_customer TO espalier_server;
-- Written by the schema itself.
GRANT SELECT, UPDATE, DELETE ON usage_sink_batch TO espalier_server;
GRANT SELECT, DELETE ON usage_sink_event TO espalier_server;

INSERT INTO purged_table (name) VALUES ('usage_sink_event'), ('usage_sink_customer');

-- The logins sent to Stripe, compared with those that its meter has counted.

-- Stripe responds with 200 to a meter event, and rejects it later if the customer is unknown or the timestamp too old. So what was taken is
-- compared with the meter, by customer and hour. Equal: confirmed_at. Different: a row of usage_sink_difference, and again an hour later.
ALTER TABLE usage_meter_event ADD COLUMN confirmed_at timestamptz;
CREATE INDEX usage_meter_event_unconfirmed ON usage_meter_event (customer_id, starts_at)
    WHERE confirmed_at IS NULL AND sent_at IS NOT NULL;
CREATE INDEX usage_meter_event_sent ON usage_meter_event (customer_id, starts_at) WHERE sent_at IS NOT NULL;
GRANT UPDATE (confirmed_at) ON usage_meter_event TO espalier_server;

ALTER TABLE usage_sink
    -- The first moment that is compared: of earlier logins, this table does not know all that was sent.
    ADD COLUMN compares_from     timestamptz NOT NULL DEFAULT now(),
    -- The earliest time of the next comparison. One process at a time moves it on.
    ADD COLUMN compare_at        timestamptz NOT NULL DEFAULT '-infinity',
    ADD COLUMN compared_at       timestamptz,
    ADD COLUMN compare_failed_at timestamptz,
    ADD COLUMN compare_status    integer,
    ADD COLUMN compare_failure   text;

CREATE TABLE usage_sink_difference (
    -- The sink's owner: one customer may stand for several tenants.
    tenant_id   uuid        NOT NULL,
    id          uuid        NOT NULL,
    customer_id text        NOT NULL,
    -- The start of the hour.
    starts_at   timestamptz NOT NULL,
    -- The tenants of the logins that were sent for the customer.
    tenants     uuid[]      NOT NULL,
    -- Logins.
    sent        bigint      NOT NULL,
    counted     bigint      NOT NULL,
    found_at    timestamptz NOT NULL,
    checked_at  timestamptz NOT NULL,
    -- The earliest time of the next check.
    check_at    timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, customer_id, starts_at)
);
ALTER TABLE usage_sink_difference ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON usage_sink_difference
    USING (current_setting('espalier.tenant', true) IN (tenant_id::text, 'platform'));
GRANT SELECT, INSERT, DELETE, UPDATE (tenants, sent, counted, checked_at, check_at) ON usage_sink_difference TO espalier_server;
GRANT UPDATE (compare_at, compared_at, compare_failed_at, compare_status, compare_failure) ON usage_sink TO espalier_server;

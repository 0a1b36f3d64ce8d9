-- What logins cost, and which plan a tenant had when.

-- A rate card is a version: written once and never changed. The platform's say what a plan costs (tenant_id nil), a tenant's own what
-- it pays instead. On a day, the one holds that began last, and of those the highest version.
CREATE TABLE rate_card (
    tenant_id        uuid        NOT NULL,
    id               uuid        NOT NULL,
    -- Null in a tenant's own.
    plan             text        CHECK (plan IN ('free', 'scale', 'enterprise')),
    version          integer     NOT NULL CHECK (version > 0),
    -- The first UTC day on which it holds.
    effective_from   date        NOT NULL,
    -- A tenant's own that ends its exception: from then on the plan's price holds, and what else stands here means nothing.
    follows_plan     boolean     NOT NULL DEFAULT false,
    -- ISO 4217. Amounts are millionths of its unit.
    currency         text        NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    base_fee_micros  bigint      NOT NULL CHECK (base_fee_micros BETWEEN 0 AND 1000000000000000),
    included_logins  bigint      NOT NULL CHECK (included_logins BETWEEN 0 AND 1000000000000),
    minimum_micros   bigint      NOT NULL CHECK (minimum_micros BETWEEN 0 AND 1000000000000000),
    tier_mode        text        NOT NULL CHECK (tier_mode IN ('graduated', 'volume')),
    -- [{"up_to": 100000, "unit_price_micros": 5000}, {"up_to": null, "unit_price_micros": 4000}]
    tiers            jsonb       NOT NULL,
    created_at       timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE NULLS NOT DISTINCT (tenant_id, plan, version),
    CHECK ((tenant_id = '00000000-0000-0000-0000-000000000000') = (plan IS NOT NULL)),
    CHECK (plan IS NULL OR NOT follows_plan)
);
-- What every plan costs until somebody says otherwise: half a cent a login, refreshes and sessions free.
INSERT INTO rate_card (tenant_id, id, plan, version, effective_from, currency, base_fee_micros, included_logins, minimum_micros,
    tier_mode, tiers, created_at)
-- The ids are UUIDv7 of the year 1970: in a list, whatever is set later stands before them.
SELECT '00000000-0000-0000-0000-000000000000', ('00000000-0000-7000-8000-00000000000' || position)::uuid, plan, 1, '2000-01-01', 'USD',
    0, 0, 0, 'graduated', '[{"up_to": null, "unit_price_micros": 5000}]', now()
FROM unnest(ARRAY['enterprise', 'scale', 'free']) WITH ORDINALITY AS listed (plan, position);

-- Which plan a tenant had from when on; null from when it was deleted.
CREATE TABLE tenant_plan (
    tenant_id    uuid        NOT NULL,
    effective_at timestamptz NOT NULL,
    plan         text        CHECK (plan IN ('free', 'scale', 'enterprise')),
    PRIMARY KEY (tenant_id, effective_at)
);
INSERT INTO tenant_plan SELECT id, created_at, plan FROM tenant;
INSERT INTO tenant_plan SELECT id, GREATEST(purge_after - interval '30 days', created_at + interval '1 microsecond'), NULL FROM tenant
    WHERE status = 'deleted';
INSERT INTO tenant_plan SELECT id, GREATEST(updated_at, created_at + interval '1 microsecond'), NULL FROM tenant WHERE status = 'purged';

-- Written by the schema itself, whoever changes a tenant and for whatever reason.
CREATE FUNCTION tenant_plan_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tenant_plan (tenant_id, effective_at, plan)
        VALUES (NEW.id, NEW.updated_at, CASE WHEN NEW.status IN ('active', 'suspended') THEN NEW.plan END)
        ON CONFLICT (tenant_id, effective_at) DO UPDATE SET plan = excluded.plan;
    RETURN NULL;
END
$$;
CREATE TRIGGER tenant_plan_begun AFTER INSERT ON tenant FOR EACH ROW EXECUTE FUNCTION tenant_plan_changed();
CREATE TRIGGER tenant_plan_changed AFTER UPDATE OF plan, status ON tenant FOR EACH ROW
    WHEN (OLD.plan <> NEW.plan OR (OLD.status IN ('active', 'suspended')) <> (NEW.status IN ('active', 'suspended')))
    EXECUTE FUNCTION tenant_plan_changed();

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['rate_card', 'tenant_plan'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY tenant_isolation ON %I
            USING (current_setting(''espalier.tenant'', true) IN (tenant_id::text, ''platform''))', name);
    END LOOP;
END
$$;
GRANT SELECT, INSERT ON rate_card TO espalier_server;
GRANT SELECT, INSERT, UPDATE ON tenant_plan TO espalier_server;

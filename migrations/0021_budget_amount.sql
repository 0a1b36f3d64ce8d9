-- Budgets in money, beside those in logins. A server of the version before reads neither that there are two kinds nor an amount: one is
-- set when no such server runs any more.

ALTER TABLE budget
    ALTER COLUMN logins DROP NOT NULL,
    -- Millionths of the currency's unit, which is one of ISO 4217.
    ADD COLUMN amount_micros bigint CHECK (amount_micros BETWEEN 1 AND 1000000000000000),
    ADD COLUMN currency text CHECK (currency ~ '^[A-Z]{3}$'),
    -- It counts the one or the other.
    ADD CONSTRAINT budget_kind CHECK ((logins IS NULL) = (amount_micros IS NOT NULL) AND (amount_micros IS NULL) = (currency IS NULL));
CREATE INDEX budget_in_money ON budget (tenant_id) WHERE currency IS NOT NULL;

-- What a month comes to so far is asked of the days that are billed in it, whichever they are.
CREATE INDEX usage_day_by_period ON usage_day (tenant_id, billing_period);

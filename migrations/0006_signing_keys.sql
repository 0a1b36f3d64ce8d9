-- Signing keys that take turns: one signs (`current`), the one after it is published already (`next`), and those before it stay
-- published while a token that they signed may live (`retired`).

-- The keys that there are sign from when they were made; an older version makes current ones and says nothing of it.
ALTER TABLE signing_key ADD COLUMN activated_at timestamptz DEFAULT now();
UPDATE signing_key SET activated_at = CASE WHEN state <> 'next' THEN created_at END;
ALTER TABLE signing_key
    ADD COLUMN retired_at      timestamptz,
    -- When it leaves the JWKS and its row goes.
    ADD COLUMN published_until timestamptz;
UPDATE signing_key SET retired_at = now(), published_until = now() + interval '25 hours' WHERE state = 'retired';
ALTER TABLE signing_key
    ADD CONSTRAINT signing_key_activated CHECK ((state = 'next') = (activated_at IS NULL)),
    ADD CONSTRAINT signing_key_retired
        CHECK ((state = 'retired') = (retired_at IS NOT NULL) AND (state = 'retired') = (published_until IS NOT NULL));
-- One key is next: two rotations at once make no third.
CREATE UNIQUE INDEX signing_key_next ON signing_key (tenant_id, algorithm) WHERE state = 'next';
CREATE INDEX signing_key_published_until ON signing_key (published_until) WHERE state = 'retired';

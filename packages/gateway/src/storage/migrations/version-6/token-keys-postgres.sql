-- 1: the key that requests with the tokens of a sign-in provider count under; one for each person and account, without a secret.
ALTER TABLE api_key ADD COLUMN company_token smallint NOT NULL DEFAULT 0 CHECK (company_token IN (0, 1));

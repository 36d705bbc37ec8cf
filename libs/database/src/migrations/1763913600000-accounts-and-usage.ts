import type { MigrationInterface, QueryRunner } from 'typeorm';

const people = `
-- Null: signs in through an identity provider, or has yet to choose one.
ALTER TABLE app_user ALTER COLUMN password_hash DROP NOT NULL;

ALTER TABLE session ADD COLUMN last_used_at timestamptz(3), ADD COLUMN ip text, ADD COLUMN user_agent text;
UPDATE session SET last_used_at = created_at;
ALTER TABLE session ALTER COLUMN last_used_at SET NOT NULL;
CREATE INDEX session_uid_idx ON session (uid, account_id, created_at);

CREATE TABLE invite (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  id text COLLATE "C" NOT NULL,
  email text NOT NULL,
  is_admin boolean NOT NULL,
  invited_by text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  -- Set when it can no longer be used, though its time may not be over.
  ended_at timestamptz(3),
  -- 'accepted', 'replaced' by a newer one or 'revoked'
  ended_by text,
  PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX invite_email_key ON invite (account_id, lower(email)) WHERE ended_at IS NULL;
-- The look-up by credential: a code comes without its account.
CREATE INDEX invite_id_idx ON invite (id);
CREATE INDEX invite_expires_idx ON invite (expires_at);

-- Codes that users get once, for one purpose each: a newer one takes the place of the older.
CREATE TABLE user_code (
  uid text COLLATE "C" NOT NULL REFERENCES app_user (uid) ON DELETE CASCADE,
  -- 'password', 'email' or 'sign_in'
  purpose text COLLATE "C" NOT NULL,
  code_hash bytea NOT NULL,
  -- Of purpose 'email': the address to change to.
  email text,
  -- Of purpose 'sign_in': the account to sign in to.
  account_id text COLLATE "C",
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (uid, purpose)
);
CREATE UNIQUE INDEX user_code_hash_idx ON user_code (code_hash);
CREATE INDEX user_code_expires_idx ON user_code (expires_at);

-- A user as an identity provider knows them.
CREATE TABLE user_identity (
  issuer text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL REFERENCES app_user (uid) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX user_identity_uid_idx ON user_identity (uid);
`;

const audit = `
CREATE TABLE audit_event (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  id text COLLATE "C" NOT NULL,
  at timestamptz(3) NOT NULL,
  -- 'user', 'apiKey' or 'system'
  actor_kind text NOT NULL,
  actor_id text COLLATE "C",
  action text COLLATE "C" NOT NULL,
  target_kind text NOT NULL,
  target_id text COLLATE "C",
  ip text,
  request_id text,
  before jsonb,
  after jsonb,
  PRIMARY KEY (account_id, id)
);
CREATE INDEX audit_event_list_idx ON audit_event (account_id, at DESC, id DESC);
CREATE INDEX audit_event_action_idx ON audit_event (account_id, action, at DESC, id DESC);
CREATE INDEX audit_event_actor_idx ON audit_event (account_id, actor_id, at DESC, id DESC);
CREATE INDEX audit_event_kind_idx ON audit_event (account_id, target_kind, at DESC, id DESC);
CREATE INDEX audit_event_target_idx ON audit_event (account_id, target_kind, target_id, at DESC, id DESC);

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The audit trail is append-only';
END $$;
CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
`;

const billing = `
CREATE TABLE billing (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  payment_customer_id text COLLATE "C",
  plan_id text,
  -- 'trialing', 'active', 'past_due', 'canceled' or 'unpaid'; with it the subscription is there as a whole
  status text,
  payment_subscription_id text COLLATE "C",
  current_period_start timestamptz(3),
  current_period_end timestamptz(3),
  -- 'month' or 'year'
  period text,
  -- Null: no limit.
  max_templates integer,
  max_pass_creations integer,
  -- What an operator has set by hand, and when: newer than what the provider has told, it is what holds.
  operator_settings jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id)
);

-- What the payment provider has told, by its own ids: it comes before the account is known, more than once, and in any order.
CREATE TABLE payment_event (
  id text COLLATE "C" NOT NULL,
  received_at timestamptz(3) NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX payment_event_received_idx ON payment_event (received_at);

-- Versions order what was told; only a higher one changes anything.
CREATE TABLE payment_customer (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" REFERENCES account (id),
  version text COLLATE "C" NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX payment_customer_account_idx ON payment_customer (account_id);

CREATE TABLE payment_subscription (
  id text COLLATE "C" NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  -- The account that the subscription itself names; null: its customer's.
  account_id text COLLATE "C" REFERENCES account (id),
  account_version text COLLATE "C",
  started_at timestamptz(3) NOT NULL,
  plan_id text NOT NULL,
  status text NOT NULL,
  current_period_start timestamptz(3) NOT NULL,
  current_period_end timestamptz(3) NOT NULL,
  period text NOT NULL,
  version text COLLATE "C" NOT NULL,
  -- Null: no limit, where there is a version; else not told.
  max_templates integer,
  max_templates_version text COLLATE "C",
  max_pass_creations integer,
  max_pass_creations_version text COLLATE "C",
  received_at timestamptz(3) NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX payment_subscription_customer_idx ON payment_subscription (customer_id);
CREATE INDEX payment_subscription_account_idx ON payment_subscription (account_id);
`;

/*
 * Counters that are right to the unit and that nobody waits for (docs/decisions/0007). Each is the sum of several rows; who
 * counts takes one that nobody else has locked, or adds one. The free space in the pages keeps updates in place.
 */
const counters = `
-- Passes created, by when: \`counted_from\` is the beginning of the calendar month (UTC) or of the billing period, whichever
-- is later, so that both can be summed up.
CREATE TABLE pass_creation (
  account_id text COLLATE "C" NOT NULL,
  counted_from timestamptz(3) NOT NULL,
  shard integer NOT NULL,
  created bigint NOT NULL,
  -- Up to what \`created\` may rise without asking, and under which limit that was granted.
  granted bigint NOT NULL DEFAULT 0,
  granted_under bigint,
  PRIMARY KEY (account_id, counted_from, shard)
) WITH (fillfactor = 50);

-- Passes that are neither voided nor noted as expired, by template: archiving one takes them all out at once.
CREATE TABLE active_pass (
  account_id text COLLATE "C" NOT NULL,
  template_id text COLLATE "C" NOT NULL,
  shard integer NOT NULL,
  active bigint NOT NULL,
  PRIMARY KEY (account_id, template_id, shard),
  FOREIGN KEY (account_id, template_id) REFERENCES template (account_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);

-- The last look of each month.
CREATE TABLE usage_month (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  month date NOT NULL,
  active_passes bigint NOT NULL,
  PRIMARY KEY (account_id, month)
);

-- The beginning of the billing period that a time is in: told periods go on until the provider tells of another; without
-- a subscription it is the calendar month, UTC.
CREATE FUNCTION billing_period_start(told timestamptz, period text, at timestamptz) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  start timestamp := told AT TIME ZONE 'UTC';
  here timestamp := at AT TIME ZONE 'UTC';
  months integer := CASE period WHEN 'year' THEN 12 ELSE 1 END;
  passed integer;
BEGIN
  IF told IS NULL OR here < start THEN RETURN date_trunc('month', here) AT TIME ZONE 'UTC'; END IF;
  passed := (extract(year FROM age(here, start)) * 12 + extract(month FROM age(here, start)))::integer / months;
  -- The ends of months are of different lengths.
  WHILE start + make_interval(months => (passed + 1) * months) <= here LOOP passed := passed + 1; END LOOP;
  WHILE start + make_interval(months => passed * months) > here LOOP passed := passed - 1; END LOOP;
  RETURN (start + make_interval(months => passed * months)) AT TIME ZONE 'UTC';
END $$;

-- Held shared by who counts, exclusively by who changes limits or billing periods.
CREATE FUNCTION usage_lock(account text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  $$ SELECT hashtextextended('usage/' || account, 4172839) $$;

CREATE FUNCTION take_creations(account text, bucket timestamptz, amount bigint, most bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pass_creation SET created = created + amount
  WHERE account_id = account AND counted_from = bucket AND shard = (
    SELECT shard FROM pass_creation
    WHERE account_id = account AND counted_from = bucket
      AND (most IS NULL OR (granted_under = most AND created + amount <= granted))
    LIMIT 1 FOR UPDATE SKIP LOCKED);
  RETURN FOUND;
END $$;

CREATE FUNCTION count_creations(account text, at timestamptz, amount bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  terms record;
  period_start timestamptz;
  bucket timestamptz;
  used bigint;
  share bigint;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(usage_lock(account));
  SELECT current_period_start, period, max_pass_creations AS most INTO terms FROM billing WHERE account_id = account;
  period_start := billing_period_start(terms.current_period_start, terms.period, at);
  bucket := greatest(period_start, date_trunc('month', at, 'UTC'));
  IF take_creations(account, bucket, amount, terms.most) THEN RETURN; END IF;
  IF terms.most IS NULL THEN
    INSERT INTO pass_creation (account_id, counted_from, shard, created)
    VALUES (account, bucket, floor(random() * 2147483647)::integer, amount)
    ON CONFLICT (account_id, counted_from, shard) DO UPDATE SET created = pass_creation.created + amount;
    RETURN;
  END IF;
  -- What was granted is used up or in use. One at a time: sums up all there is, and grants shares of what is left.
  PERFORM pg_advisory_xact_lock(hashtextextended('grant/' || account, 4172839));
  IF take_creations(account, bucket, amount, terms.most) THEN RETURN; END IF;
  PERFORM FROM pass_creation WHERE account_id = account AND counted_from >= period_start
  ORDER BY counted_from, shard FOR UPDATE;
  SELECT coalesce(sum(created), 0) INTO used FROM pass_creation
  WHERE account_id = account AND counted_from >= period_start;
  IF used + amount > terms.most THEN
    RAISE EXCEPTION 'pass creations are used up' USING ERRCODE = 'PW403', DETAIL = terms.most::text;
  END IF;
  INSERT INTO pass_creation (account_id, counted_from, shard, created)
  SELECT account, bucket, least(count(*), 15)::integer, amount
  FROM pass_creation WHERE account_id = account AND counted_from = bucket
  ON CONFLICT (account_id, counted_from, shard) DO UPDATE SET created = pass_creation.created + amount;
  -- Half of what is left to all rows together: who comes later finds some too, and the last ones come here one by one.
  SELECT (terms.most - used - amount) / (2 * count(*)) INTO share
  FROM pass_creation WHERE account_id = account AND counted_from = bucket;
  UPDATE pass_creation
  SET granted = created + CASE WHEN counted_from = bucket THEN share ELSE 0 END, granted_under = terms.most
  WHERE account_id = account AND counted_from >= period_start;
END $$;

CREATE FUNCTION count_active(account text, template text, difference bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE active_pass SET active = active + difference
  WHERE account_id = account AND template_id = template AND shard = (
    SELECT shard FROM active_pass WHERE account_id = account AND template_id = template
    LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF FOUND THEN RETURN; END IF;
  INSERT INTO active_pass (account_id, template_id, shard, active)
  VALUES (account, template, floor(random() * 2147483647)::integer, difference)
  ON CONFLICT (account_id, template_id, shard) DO UPDATE SET active = active_pass.active + difference;
END $$;

CREATE FUNCTION count_issued_passes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_creations(account_id, created_at, count(*)) FROM issued GROUP BY account_id, created_at;
  PERFORM count_active(account_id, template_id, count(*)) FROM issued
  WHERE voided_at IS NULL AND expired_at IS NULL GROUP BY account_id, template_id;
  RETURN NULL;
END $$;
CREATE TRIGGER pass_issued AFTER INSERT ON pass REFERENCING NEW TABLE AS issued
  FOR EACH STATEMENT EXECUTE FUNCTION count_issued_passes();

CREATE FUNCTION count_changed_pass() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_active boolean := TG_OP = 'UPDATE' AND NEW.voided_at IS NULL AND NEW.expired_at IS NULL;
BEGIN
  PERFORM count_active(OLD.account_id, OLD.template_id, CASE WHEN is_active THEN 1 ELSE -1 END);
  RETURN NULL;
END $$;
CREATE TRIGGER pass_activity_changed AFTER UPDATE OF voided_at, expired_at ON pass FOR EACH ROW
  WHEN ((OLD.voided_at IS NULL AND OLD.expired_at IS NULL) <> (NEW.voided_at IS NULL AND NEW.expired_at IS NULL))
  EXECUTE FUNCTION count_changed_pass();
CREATE TRIGGER pass_activity_ended AFTER DELETE ON pass FOR EACH ROW
  WHEN (OLD.voided_at IS NULL AND OLD.expired_at IS NULL)
  EXECUTE FUNCTION count_changed_pass();

-- What was issued before there were counters. Passes that have been deleted are not known any more.
INSERT INTO pass_creation (account_id, counted_from, shard, created)
SELECT account_id, date_trunc('month', created_at, 'UTC'), 0, count(*) FROM pass GROUP BY 1, 2;
INSERT INTO active_pass (account_id, template_id, shard, active)
SELECT account_id, template_id, 0, count(*) FROM pass WHERE voided_at IS NULL AND expired_at IS NULL GROUP BY 1, 2;
`;

/** People, audit trail, billing, and counters of what is used. */
export class AccountsAndUsage1763913600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [people, audit, billing, counters]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER pass_issued ON pass;
      DROP TRIGGER pass_activity_changed ON pass;
      DROP TRIGGER pass_activity_ended ON pass;
      DROP FUNCTION count_issued_passes, count_changed_pass, count_active, count_creations, take_creations, usage_lock,
        billing_period_start;
      DROP TABLE usage_month, active_pass, pass_creation, payment_subscription, payment_customer, payment_event, billing, audit_event, user_identity, user_code, invite;
      DROP FUNCTION refuse_audit_change;
      ALTER TABLE session DROP COLUMN last_used_at, DROP COLUMN ip, DROP COLUMN user_agent;
      DROP INDEX IF EXISTS session_uid_idx;
      DELETE FROM app_user WHERE password_hash IS NULL AND uid NOT IN (SELECT uid FROM account_member);
      UPDATE app_user SET password_hash = '' WHERE password_hash IS NULL;
      ALTER TABLE app_user ALTER COLUMN password_hash SET NOT NULL;`);
  }
}

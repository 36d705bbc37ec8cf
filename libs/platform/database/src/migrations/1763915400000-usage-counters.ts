import type { MigrationInterface, QueryRunner } from 'typeorm';

/*
 * Exact counters that block no writer (docs/decisions/0007). Each counter is the sum of several rows. A writer updates
 * a row that no other transaction has locked, or adds one. Free space in the pages keeps updates in place.
 */
const tables = `
-- Created passes, by time: \`counted_from\` is the start of the calendar month (UTC) or of the billing period, whichever
-- is later, so that both can be summed.
CREATE TABLE pass_creation (
  account_id text COLLATE "C" NOT NULL,
  counted_from timestamptz(3) NOT NULL,
  shard integer NOT NULL,
  created bigint NOT NULL,
  -- The value up to which \`created\` may grow without another check, if the account has a limit.
  granted bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, counted_from, shard)
) WITH (fillfactor = 50);

-- Passes that are neither void nor recorded as expired, by template, so that archiving one excludes them all.
CREATE TABLE active_pass (
  account_id text COLLATE "C" NOT NULL,
  template_id text COLLATE "C" NOT NULL,
  shard integer NOT NULL,
  active bigint NOT NULL,
  PRIMARY KEY (account_id, template_id, shard),
  FOREIGN KEY (account_id, template_id) REFERENCES template (account_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);

-- The last count of each month.
CREATE TABLE usage_month (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  month date NOT NULL,
  active_passes bigint NOT NULL,
  PRIMARY KEY (account_id, month)
);

-- Usage also counts deleted passes. Null: the pass was deleted before this column existed.
ALTER TABLE deleted_pass ADD COLUMN created_at timestamptz(3);
CREATE INDEX deleted_pass_created_idx ON deleted_pass (account_id, created_at) WHERE created_at IS NOT NULL;
`;

const periods = `
-- The billing period that contains a time. The provider's last period is repeated in both directions until it reports
-- another one. Without a subscription, the period is the calendar month, in UTC.
CREATE FUNCTION billing_period(told_start timestamptz, told_end timestamptz, period text, at timestamptz,
  OUT starts timestamptz, OUT ends timestamptz) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  here timestamp;
  anchor timestamp;
  months integer;
  passed integer;
BEGIN
  starts := CASE WHEN told_start IS NULL THEN date_trunc('month', at, 'UTC') ELSE told_start END;
  ends := CASE WHEN told_start IS NULL THEN (starts AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC' ELSE told_end END;
  IF at >= starts AND at < ends THEN RETURN; END IF;
  here := at AT TIME ZONE 'UTC';
  anchor := CASE WHEN at >= told_end AND told_end > told_start THEN told_end ELSE told_start END AT TIME ZONE 'UTC';
  months := CASE period WHEN 'year' THEN 12 ELSE 1 END;
  passed := floor((extract(year FROM here) * 12 + extract(month FROM here)
    - extract(year FROM anchor) * 12 - extract(month FROM anchor)) / months);
  -- The ends of months are of different lengths.
  WHILE anchor + make_interval(months => passed * months) > here LOOP passed := passed - 1; END LOOP;
  WHILE anchor + make_interval(months => (passed + 1) * months) <= here LOOP passed := passed + 1; END LOOP;
  starts := (anchor + make_interval(months => passed * months)) AT TIME ZONE 'UTC';
  ends := (anchor + make_interval(months => (passed + 1) * months)) AT TIME ZONE 'UTC';
END $$;

CREATE FUNCTION account_period(account text, at timestamptz, OUT starts timestamptz, OUT ends timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT p.starts, p.ends FROM (SELECT) AS one LEFT JOIN billing b ON b.account_id = account,
    billing_period(b.current_period_start, b.current_period_end, b.period, at) AS p
$$;
`;

const creations = `
-- Transactions that count hold this lock shared. Transactions that change limits or billing periods hold it exclusively.
CREATE FUNCTION usage_lock(account text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT hashtextextended('usage/' || account, 4172839) $$;

-- A transaction that needs more of a limit holds this lock until it ends.
CREATE FUNCTION grant_lock(account text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT hashtextextended('grant/' || account, 4172839) $$;

-- The row that a connection tries first and would add. Connections that count at once try different rows.
CREATE FUNCTION own_shard() RETURNS integer LANGUAGE sql STABLE AS $$ SELECT hashint4(pg_backend_pid()) & 2147483647 $$;

-- Counts without waiting, in a row that no other transaction has locked and that has room; any row if \`most\` is null.
CREATE FUNCTION take_creations(account text, bucket timestamptz, amount bigint, most bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pass_creation SET created = created + amount
  WHERE account_id = account AND counted_from = bucket AND shard = coalesce((
    SELECT shard FROM pass_creation WHERE account_id = account AND counted_from = bucket AND shard >= own_shard()
      AND (most IS NULL OR created + amount <= granted) ORDER BY shard LIMIT 1 FOR UPDATE SKIP LOCKED
  ), (
    SELECT shard FROM pass_creation WHERE account_id = account AND counted_from = bucket AND shard < own_shard()
      AND (most IS NULL OR created + amount <= granted) ORDER BY shard LIMIT 1 FOR UPDATE SKIP LOCKED));
  RETURN FOUND;
END $$;

CREATE FUNCTION refuse_creations(most bigint, ends timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'pass creations are used up' USING ERRCODE = 'PW403', DETAIL = json_build_object(
    'maxPassCreations', most, 'periodEnd', to_char(ends AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
END $$;

/*
 * No row of a period exceeds the room that it was granted, and together the rows were not granted more than the limit.
 * So a transaction that finds a row with room need not look at the others. Otherwise it comes here, one transaction at a
 * time until the commit. It grants another row a share of what is left, then the room that other rows do not use now.
 * Before it rejects, it waits for the counts in progress, which may yet be rolled back.
 */
CREATE FUNCTION count_within_limit(
  account text, bucket timestamptz, amount bigint, most bigint, period_start timestamptz, period_end timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  used bigint;
  rows_in_use integer;
  share bigint;
BEGIN
  SELECT coalesce(sum(created), 0) INTO used FROM pass_creation
  WHERE account_id = account AND counted_from >= period_start AND counted_from < period_end;
  IF used + amount > most THEN PERFORM refuse_creations(most, period_end); END IF;
  PERFORM pg_advisory_xact_lock(grant_lock(account));
  IF take_creations(account, bucket, amount, most) THEN RETURN; END IF;
  FOR step IN 1..3 LOOP
    IF step = 2 THEN
      UPDATE pass_creation SET granted = created WHERE granted <> created AND (account_id, counted_from, shard) IN (
        SELECT account_id, counted_from, shard FROM pass_creation
        WHERE account_id = account AND counted_from >= period_start AND counted_from < period_end FOR UPDATE SKIP LOCKED);
    ELSIF step = 3 THEN
      PERFORM FROM pass_creation
      WHERE account_id = account AND counted_from >= period_start AND counted_from < period_end
      ORDER BY counted_from, shard FOR UPDATE;
      UPDATE pass_creation SET granted = created
      WHERE account_id = account AND counted_from >= period_start AND counted_from < period_end AND granted <> created;
    END IF;
    SELECT coalesce(sum(greatest(created, granted)), 0), count(*) INTO used, rows_in_use FROM pass_creation
    WHERE account_id = account AND counted_from >= period_start AND counted_from < period_end;
    EXIT WHEN used + amount <= most;
    IF step = 3 THEN PERFORM refuse_creations(most, period_end); END IF;
  END LOOP;
  -- Small enough that whoever comes next finds some too; the last ones come here one by one.
  share := (most - used - amount) / (2 * greatest(rows_in_use, 8));
  UPDATE pass_creation SET created = created + amount, granted = greatest(created, granted) + amount + share
  WHERE account_id = account AND counted_from = bucket AND shard = (
    SELECT shard FROM pass_creation WHERE account_id = account AND counted_from = bucket LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF FOUND THEN RETURN; END IF;
  INSERT INTO pass_creation (account_id, counted_from, shard, created, granted)
  VALUES (account, bucket, floor(random() * 2147483647)::integer, amount, amount + share);
END $$;

CREATE FUNCTION count_creations(account text, at timestamptz, amount bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  terms record;
  period_start timestamptz;
  period_end timestamptz;
  bucket timestamptz := date_trunc('month', at, 'UTC');
BEGIN
  PERFORM pg_advisory_xact_lock_shared(usage_lock(account));
  SELECT current_period_start, current_period_end, period, max_pass_creations AS most INTO terms
  FROM billing WHERE account_id = account;
  IF terms.most IS NOT NULL OR terms.current_period_start IS NOT NULL THEN
    SELECT starts, ends INTO period_start, period_end
    FROM billing_period(terms.current_period_start, terms.current_period_end, terms.period, at);
    bucket := greatest(period_start, bucket);
  END IF;
  -- As \`take_creations\` does, whose call would cost a tenth of all this.
  UPDATE pass_creation SET created = created + amount
  WHERE account_id = account AND counted_from = bucket AND shard = coalesce((
    SELECT shard FROM pass_creation WHERE account_id = account AND counted_from = bucket AND shard >= own_shard()
      AND (terms.most IS NULL OR created + amount <= granted) ORDER BY shard LIMIT 1 FOR UPDATE SKIP LOCKED
  ), (
    SELECT shard FROM pass_creation WHERE account_id = account AND counted_from = bucket AND shard < own_shard()
      AND (terms.most IS NULL OR created + amount <= granted) ORDER BY shard LIMIT 1 FOR UPDATE SKIP LOCKED));
  IF FOUND THEN RETURN; END IF;
  IF terms.most IS NOT NULL THEN
    PERFORM count_within_limit(account, bucket, amount, terms.most, period_start, period_end);
    RETURN;
  END IF;
  INSERT INTO pass_creation (account_id, counted_from, shard, created)
  VALUES (account, bucket, floor(random() * 2147483647)::integer, amount)
  ON CONFLICT (account_id, counted_from, shard) DO UPDATE SET created = pass_creation.created + amount;
END $$;
`;

const terms = `
-- Runs before limits or periods change: waits until all counts under the former ones have committed, and withdraws the
-- room that rows were granted.
CREATE FUNCTION settle_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(usage_lock(NEW.account_id));
  UPDATE pass_creation SET granted = 0 WHERE account_id = NEW.account_id AND granted <> 0;
  RETURN NEW;
END $$;
CREATE TRIGGER billing_terms_made BEFORE INSERT ON billing FOR EACH ROW EXECUTE FUNCTION settle_usage();
CREATE TRIGGER billing_terms_changed BEFORE UPDATE ON billing FOR EACH ROW
  WHEN ((OLD.max_pass_creations, OLD.current_period_start, OLD.current_period_end, OLD.period)
    IS DISTINCT FROM (NEW.max_pass_creations, NEW.current_period_start, NEW.current_period_end, NEW.period))
  EXECUTE FUNCTION settle_usage();

-- Splits the counts at the start of the period that contains \`at\`, if the period has changed. Only the month in which
-- it starts can have a count across that time; the sum of the month stays. Call it under the lock of \`settle_usage\`.
CREATE FUNCTION split_creations(account text, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  start timestamptz := (SELECT starts FROM account_period(account, at));
  month_start timestamptz := date_trunc('month', start, 'UTC');
  month_end timestamptz := (month_start AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
  in_month bigint;
  since bigint;
BEGIN
  IF start = month_start THEN RETURN; END IF;
  WITH gone AS (
    DELETE FROM pass_creation
    WHERE account_id = account AND counted_from >= month_start AND counted_from < month_end RETURNING created
  ) SELECT sum(created) INTO in_month FROM gone;
  -- By template, as the index of its passes has them by time.
  SELECT coalesce(sum(n), 0) INTO since FROM template t CROSS JOIN LATERAL (
    SELECT count(*) AS n FROM pass
    WHERE account_id = t.account_id AND template_id = t.id AND created_at >= start AND created_at < month_end
  ) AS issued WHERE t.account_id = account;
  SELECT since + count(*) INTO since FROM deleted_pass
  WHERE account_id = account AND created_at >= start AND created_at < month_end;
  INSERT INTO pass_creation (account_id, counted_from, shard, created)
  SELECT account, counted_from, 0, created
  FROM (VALUES (month_start, in_month - since), (start, since)) AS part(counted_from, created) WHERE created > 0;
END $$;
`;

/** Adds usage counters that the database maintains, and the limit on created passes. */
export class UsageCounters1763915400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [tables, periods, creations, terms]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER billing_terms_made ON billing;
      DROP TRIGGER billing_terms_changed ON billing;
      DROP FUNCTION count_creations, count_within_limit, refuse_creations, take_creations, split_creations,
        settle_usage, usage_lock, grant_lock, own_shard, account_period, billing_period;
      DROP TABLE usage_month, active_pass, pass_creation;
      DROP INDEX deleted_pass_created_idx;
      ALTER TABLE deleted_pass DROP COLUMN created_at;`);
  }
}

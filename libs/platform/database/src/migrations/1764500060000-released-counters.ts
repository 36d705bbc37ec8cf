import type { MigrationInterface, QueryRunner } from 'typeorm';

/*
 * FOR UPDATE SKIP LOCKED keeps the lock on a row whose newest version has no quota left. A creation that held such a
 * lock and waited for grant_lock deadlocked with the holder of grant_lock, which waits for all rows. Under a limit, the
 * attempt therefore runs in a subtransaction. If the attempt finds no quota, Postgres releases its locks before the
 * wait.
 */
const update = `
    UPDATE pass_creation SET created = created + amount
    WHERE account_id = account AND counted_from = bucket AND shard = coalesce((
      SELECT shard FROM pass_creation WHERE account_id = account AND counted_from = bucket AND shard >= own_shard()
        AND (terms.most IS NULL OR created + amount <= granted) ORDER BY shard LIMIT 1 FOR UPDATE SKIP LOCKED
    ), (
      SELECT shard FROM pass_creation WHERE account_id = account AND counted_from = bucket AND shard < own_shard()
        AND (terms.most IS NULL OR created + amount <= granted) ORDER BY shard LIMIT 1 FOR UPDATE SKIP LOCKED));`;

const head = `
CREATE OR REPLACE FUNCTION count_creations(account text, at timestamptz, amount bigint) RETURNS void LANGUAGE plpgsql AS $$
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
  END IF;`;

const insert = `
  INSERT INTO pass_creation (account_id, counted_from, shard, created)
  VALUES (account, bucket, floor(random() * 2147483647)::integer, amount)
  ON CONFLICT (account_id, counted_from, shard) DO UPDATE SET created = pass_creation.created + amount;
END $$;`;

const released = `${head}
  IF terms.most IS NOT NULL THEN
    BEGIN
      IF take_creations(account, bucket, amount, terms.most) THEN RETURN; END IF;
      RAISE EXCEPTION USING ERRCODE = 'PW000', MESSAGE = 'release the locks of this attempt';
    EXCEPTION WHEN SQLSTATE 'PW000' THEN NULL;
    END;
    PERFORM count_within_limit(account, bucket, amount, terms.most, period_start, period_end);
    RETURN;
  END IF;
  -- As \`take_creations\` does, whose call would cost a tenth of all this.
  UPDATE pass_creation SET created = created + amount
  WHERE account_id = account AND counted_from = bucket AND shard = coalesce((
    SELECT shard FROM pass_creation WHERE account_id = account AND counted_from = bucket AND shard >= own_shard()
    ORDER BY shard LIMIT 1 FOR UPDATE SKIP LOCKED
  ), (
    SELECT shard FROM pass_creation WHERE account_id = account AND counted_from = bucket AND shard < own_shard()
    ORDER BY shard LIMIT 1 FOR UPDATE SKIP LOCKED));
  IF FOUND THEN RETURN; END IF;${insert}`;

const kept = `${head}${update}
  IF FOUND THEN RETURN; END IF;
  IF terms.most IS NOT NULL THEN
    PERFORM count_within_limit(account, bucket, amount, terms.most, period_start, period_end);
    RETURN;
  END IF;${insert}`;

/** Makes a creation under a limit release all counters before it waits for grant_lock. */
export class ReleasedCounters1764500060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(released);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(kept);
  }
}

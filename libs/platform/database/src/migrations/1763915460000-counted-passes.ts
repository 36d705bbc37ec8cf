import type { MigrationInterface, QueryRunner } from 'typeorm';

const activity = `
CREATE FUNCTION count_active(account text, template text, difference bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE active_pass SET active = active + difference
  WHERE account_id = account AND template_id = template AND shard = coalesce((
    SELECT shard FROM active_pass WHERE account_id = account AND template_id = template AND shard >= own_shard()
    ORDER BY shard LIMIT 1 FOR UPDATE SKIP LOCKED
  ), (
    SELECT shard FROM active_pass WHERE account_id = account AND template_id = template AND shard < own_shard()
    ORDER BY shard LIMIT 1 FOR UPDATE SKIP LOCKED));
  IF FOUND THEN RETURN; END IF;
  INSERT INTO active_pass (account_id, template_id, shard, active)
  VALUES (account, template, floor(random() * 2147483647)::integer, difference)
  ON CONFLICT (account_id, template_id, shard) DO UPDATE SET active = active_pass.active + difference;
END $$;

/*
 * Counts once per statement, because a counter row that changes often in one transaction gets slower to find each time.
 * Most statements change a single pass. Sequential scans are off, because each connection plans these statements once,
 * when the tables may still be small.
 */
CREATE FUNCTION count_issued_passes() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  one record;
  batch record;
  moment record;
BEGIN
  SELECT account_id, template_id, created_at, voided_at IS NULL AND expired_at IS NULL AS is_active,
    EXISTS (SELECT FROM issued OFFSET 1) AS has_more INTO one FROM issued LIMIT 1;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF NOT one.has_more THEN
    PERFORM count_creations(one.account_id, one.created_at, 1);
    IF one.is_active THEN PERFORM count_active(one.account_id, one.template_id, 1); END IF;
    RETURN NULL;
  END IF;
  FOR batch IN
    SELECT account_id, template_id, count(*) AS created, min(created_at) AS first, max(created_at) AS last,
      count(*) FILTER (WHERE voided_at IS NULL AND expired_at IS NULL) AS active
    FROM issued GROUP BY account_id, template_id, date_trunc('month', created_at, 'UTC')
  LOOP
    IF batch.first < batch.last THEN PERFORM pg_advisory_xact_lock_shared(usage_lock(batch.account_id)); END IF;
    IF batch.first = batch.last
      OR (SELECT starts FROM account_period(batch.account_id, batch.first))
        = (SELECT starts FROM account_period(batch.account_id, batch.last))
    THEN
      PERFORM count_creations(batch.account_id, batch.first, batch.created);
    ELSE
      FOR moment IN
        SELECT created_at, count(*) AS created FROM issued
        WHERE account_id = batch.account_id AND template_id = batch.template_id
          AND created_at BETWEEN batch.first AND batch.last
        GROUP BY created_at
      LOOP
        PERFORM count_creations(batch.account_id, moment.created_at, moment.created);
      END LOOP;
    END IF;
    IF batch.active > 0 THEN PERFORM count_active(batch.account_id, batch.template_id, batch.active); END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER pass_issued AFTER INSERT ON pass REFERENCING NEW TABLE AS issued
  FOR EACH STATEMENT EXECUTE FUNCTION count_issued_passes();

CREATE FUNCTION count_changed_passes() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  one record;
  change record;
BEGIN
  SELECT account_id, template_id, EXISTS (SELECT FROM before OFFSET 1) AS has_more,
    (SELECT voided_at IS NULL AND expired_at IS NULL FROM after LIMIT 1)::integer
      - (voided_at IS NULL AND expired_at IS NULL)::integer AS difference
  INTO one FROM before LIMIT 1;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF NOT one.has_more THEN
    IF one.difference <> 0 THEN PERFORM count_active(one.account_id, one.template_id, one.difference); END IF;
    RETURN NULL;
  END IF;
  FOR change IN
    SELECT account_id, template_id, sum(n)::bigint AS difference FROM (
      SELECT account_id, template_id, 1 AS n FROM after WHERE voided_at IS NULL AND expired_at IS NULL
      UNION ALL SELECT account_id, template_id, -1 FROM before WHERE voided_at IS NULL AND expired_at IS NULL
    ) AS active GROUP BY account_id, template_id HAVING sum(n) <> 0
  LOOP
    PERFORM count_active(change.account_id, change.template_id, change.difference);
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER pass_changed AFTER UPDATE ON pass REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION count_changed_passes();

CREATE FUNCTION count_deleted_passes() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  change record;
BEGIN
  FOR change IN
    SELECT account_id, template_id, count(*) AS active FROM gone
    WHERE voided_at IS NULL AND expired_at IS NULL GROUP BY account_id, template_id
  LOOP
    PERFORM count_active(change.account_id, change.template_id, -change.active);
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER pass_deleted AFTER DELETE ON pass REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_passes();
`;

const expiries = `
-- Finds passes whose expiry is not recorded yet, by account, so that a mass expiry of one account slows no other.
CREATE INDEX pass_unnoticed_idx ON pass (account_id, expires_at) INCLUDE (template_id)
  WHERE expires_at IS NOT NULL AND coalesce(voided_at, expired_at) IS NULL;
`;

const existing = `
-- Counts the passes from before the counters existed. Passes deleted by then are not known any more.
INSERT INTO pass_creation (account_id, counted_from, shard, created)
SELECT account_id, date_trunc('month', created_at, 'UTC'), 0, count(*) FROM pass GROUP BY 1, 2;
INSERT INTO active_pass (account_id, template_id, shard, active)
SELECT account_id, template_id, 0, count(*) FROM pass WHERE voided_at IS NULL AND expired_at IS NULL GROUP BY 1, 2;
`;

/** Counts passes in every statement that creates, changes or deletes them. */
export class CountedPasses1763915460000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [activity, expiries, existing]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX pass_unnoticed_idx;
      DROP TRIGGER pass_issued ON pass;
      DROP TRIGGER pass_changed ON pass;
      DROP TRIGGER pass_deleted ON pass;
      DROP FUNCTION count_issued_passes, count_changed_passes, count_deleted_passes, count_active;
      DELETE FROM pass_creation;
      DELETE FROM active_pass;`);
  }
}

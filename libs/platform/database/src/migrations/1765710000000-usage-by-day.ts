import type { MigrationInterface, QueryRunner } from 'typeorm';

/*
 * Counts redemptions and installations as passes are counted: each counter is the sum of several rows, so that no
 * transaction waits for another (docs/decisions/0007). Earlier triggers count creations, and no trigger of this
 * migration runs when a pass is created.
 */
const tables = `
CREATE TABLE pass_use (
  account_id text COLLATE "C" NOT NULL,
  shard integer NOT NULL,
  redeemed bigint NOT NULL,
  installed bigint NOT NULL,
  PRIMARY KEY (account_id, shard)
) WITH (fillfactor = 50);

-- The totals of an account at the end of a day (UTC). A day on which they stay the same has no row.
CREATE TABLE usage_day (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  day date NOT NULL,
  created bigint NOT NULL,
  redeemed bigint NOT NULL,
  installed bigint NOT NULL,
  PRIMARY KEY (account_id, day)
);

-- The passes of existing accounts were created on days that were not recorded.
INSERT INTO usage_day (account_id, day, created, redeemed, installed)
SELECT a.id, (now() AT TIME ZONE 'UTC')::date - 1, coalesce(sum(c.created), 0), 0, 0
FROM account a LEFT JOIN pass_creation c ON c.account_id = a.id GROUP BY a.id;
`;

const counting = `
CREATE FUNCTION count_uses(account text, of_redeemed bigint, of_installed bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pass_use SET redeemed = redeemed + of_redeemed, installed = installed + of_installed
  WHERE account_id = account AND shard = coalesce((
    SELECT shard FROM pass_use WHERE account_id = account AND shard >= own_shard()
    ORDER BY shard LIMIT 1 FOR UPDATE SKIP LOCKED
  ), (
    SELECT shard FROM pass_use WHERE account_id = account AND shard < own_shard()
    ORDER BY shard LIMIT 1 FOR UPDATE SKIP LOCKED));
  IF FOUND THEN RETURN; END IF;
  INSERT INTO pass_use AS known (account_id, shard, redeemed, installed)
  VALUES (account, floor(random() * 2147483647)::integer, of_redeemed, of_installed)
  ON CONFLICT (account_id, shard) DO UPDATE SET redeemed = known.redeemed + of_redeemed,
    installed = known.installed + of_installed;
END $$;
`;

const triggers = `
-- Works on one row, because each redemption changes one pass, and other changes do not fire the trigger.
CREATE FUNCTION count_redeemed_pass() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_uses(NEW.account_id, 1, 0);
  RETURN NULL;
END $$;
CREATE TRIGGER pass_redeemed AFTER UPDATE OF redeemed_at ON pass FOR EACH ROW
  WHEN (OLD.redeemed_at IS NULL AND NEW.redeemed_at IS NOT NULL) EXECUTE FUNCTION count_redeemed_pass();

CREATE FUNCTION count_registered_passes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  one record;
BEGIN
  FOR one IN SELECT account_id, count(*) AS installed FROM registered GROUP BY account_id LOOP
    PERFORM count_uses(one.account_id, 0, one.installed);
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER apple_registration_made AFTER INSERT ON apple_registration REFERENCING NEW TABLE AS registered
  FOR EACH STATEMENT EXECUTE FUNCTION count_registered_passes();

-- Works on one row, as a callback of Google does.
CREATE FUNCTION count_saved_pass() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_uses(NEW.account_id, 0, NEW.saves - OLD.saves);
  RETURN NULL;
END $$;
CREATE TRIGGER google_resource_saved AFTER UPDATE OF saves ON google_resource FOR EACH ROW
  WHEN (NEW.serial_number IS NOT NULL AND NEW.saves > OLD.saves) EXECUTE FUNCTION count_saved_pass();
`;

/** Counts redeemed and installed passes, and records the totals of each day, from now on. */
export class UsageByDay1765710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [tables, counting, triggers]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER pass_redeemed ON pass;
      DROP TRIGGER apple_registration_made ON apple_registration;
      DROP TRIGGER google_resource_saved ON google_resource;
      DROP FUNCTION count_redeemed_pass, count_registered_passes, count_saved_pass, count_uses;
      DROP TABLE usage_day, pass_use;`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

const lastKnown = `anchor := CASE WHEN at >= told_end AND told_end > told_start THEN told_end ELSE told_start END AT TIME ZONE 'UTC';
  months := CASE period WHEN 'year' THEN 12 ELSE 1 END;`;

/*
 * One month after 31 January is 28 February, and one month after that would be 28 March. So if the known period has its
 * full length, the later day of the month among its two ends is the day on which the subscription began.
 */
const original = `months := CASE period WHEN 'year' THEN 12 ELSE 1 END;
  anchor := CASE
    WHEN told_start AT TIME ZONE 'UTC' + make_interval(months => months) = told_end AT TIME ZONE 'UTC' THEN told_start
    WHEN told_end AT TIME ZONE 'UTC' - make_interval(months => months) = told_start AT TIME ZONE 'UTC' THEN told_end
    WHEN at >= told_end AND told_end > told_start THEN told_end
    ELSE told_start END AT TIME ZONE 'UTC';`;

/*
 * Counts the passes of a current period again if the beginning of the period has moved. A lock on the table replaces
 * one lock per account, because the server has room for only some thousand locks.
 */
const recount = `
LOCK TABLE pass_creation IN SHARE ROW EXCLUSIVE MODE;
DO $$
DECLARE
  account text;
BEGIN
  FOR account IN SELECT account_id FROM billing
    WHERE current_period_end <= now() AND extract(day FROM current_period_start AT TIME ZONE 'UTC')
      > greatest(28, extract(day FROM current_period_end AT TIME ZONE 'UTC')) ORDER BY account_id
  LOOP
    UPDATE pass_creation SET granted = 0 WHERE account_id = account AND granted <> 0;
    PERFORM split_creations(account, now());
  END LOOP;
END $$`;

/** Makes billing periods begin on the original day of the subscription again after a shorter month. */
export class BillingPeriods1765800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await rewrite(runner, lastKnown, original);
  }

  async down(runner: QueryRunner): Promise<void> {
    await rewrite(runner, original, lastKnown);
  }
}

async function rewrite(runner: QueryRunner, from: string, to: string): Promise<void> {
  const rows = (await runner.query("SELECT pg_get_functiondef('billing_period'::regproc) AS definition")) as [
    { definition: string },
  ];
  const { definition } = rows[0];
  if (!definition.includes(from)) throw new Error('billing_period() does not begin with the last known period');
  await runner.query(definition.replace(from, () => to));
  await runner.query(recount);
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/*
 * Moves the push queue from an index on `apple_device` to pages of a hundred devices. Recording a push result then
 * changes no index, and the new row version fits into the same page (docs/decisions/0006).
 */
const pages = `
-- The numbers of changes and of claims, in the order in which they began.
CREATE SEQUENCE apple_push_number;

CREATE TABLE apple_push_page (
  account_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL,
  -- When to check the devices of the page; while it is claimed, the end of the claim.
  due_at timestamptz(3) NOT NULL,
  -- Devices whose last push has a greater number are skipped.
  since bigint NOT NULL,
  claim bigint,
  -- The changed pass or template; null for devices that are checked for another reason.
  scope text COLLATE "C",
  device_ids text[] COLLATE "C" NOT NULL,
  size integer NOT NULL,
  PRIMARY KEY (account_id, id)
);
CREATE INDEX apple_push_page_due_idx ON apple_push_page (account_id, due_at);
CREATE INDEX apple_push_page_claim_idx ON apple_push_page (account_id, claim) WHERE claim IS NOT NULL;
CREATE INDEX apple_push_page_scope_idx ON apple_push_page (account_id, scope) WHERE claim IS NULL AND scope IS NOT NULL;

ALTER TABLE apple_device ADD COLUMN push_number bigint NOT NULL DEFAULT 0;
ALTER TABLE apple_device SET (fillfactor = 45);

-- The largest number, so that the devices are checked whatever they were pushed for before.
INSERT INTO apple_push_page (account_id, id, due_at, since, device_ids, size)
SELECT account_id, nextval('apple_push_number'), min(due_at), 9223372036854775807, array_agg(id), count(*)
FROM (
  SELECT account_id, id, due_at, (row_number() OVER (PARTITION BY account_id ORDER BY due_at, id) - 1) / 100 AS page
  FROM apple_device WHERE due_at IS NOT NULL
) AS due
GROUP BY account_id, page;
DROP INDEX apple_device_due_idx;
`;

/** Adds the push queue as pages of devices. */
export class PushPages1763827200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(pages);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE apple_device d SET due_at = LEAST(d.due_at, p.due_at)
      FROM (SELECT account_id, unnest(device_ids) AS id, min(due_at) AS due_at FROM apple_push_page GROUP BY 1, 2) AS p
      WHERE d.account_id = p.account_id AND d.id = p.id;
      DROP TABLE apple_push_page;
      DROP SEQUENCE apple_push_number;
      ALTER TABLE apple_device DROP COLUMN push_number;
      ALTER TABLE apple_device RESET (fillfactor);
      CREATE INDEX apple_device_due_idx ON apple_device (account_id, due_at) WHERE due_at IS NOT NULL;`);
  }
}

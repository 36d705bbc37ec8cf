import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, dropIndex } from './building-index.js';

const table = `
-- The order in which the passes of a template were updated. With an index on \`pass\` itself, each update of a pass would
-- also have to write all its other indexes (docs/decisions/0018).
CREATE TABLE IF NOT EXISTS pass_update_order (
  account_id text COLLATE "C" NOT NULL,
  template_id text COLLATE "C" NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  pass_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, template_id, updated_at, pass_id)
);

CREATE OR REPLACE FUNCTION order_issued_passes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO pass_update_order (account_id, template_id, updated_at, pass_id)
  SELECT account_id, template_id, updated_at, id FROM issued;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION order_updated_pass() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pass_update_order SET updated_at = NEW.updated_at
  WHERE account_id = OLD.account_id AND template_id = OLD.template_id AND updated_at = OLD.updated_at AND pass_id = OLD.id;
  IF FOUND THEN RETURN NULL; END IF;
  -- Of a pass that the migration has yet to come to.
  INSERT INTO pass_update_order (account_id, template_id, updated_at, pass_id)
  VALUES (NEW.account_id, NEW.template_id, NEW.updated_at, NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION order_deleted_pass() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM pass_update_order
  WHERE account_id = OLD.account_id AND template_id = OLD.template_id AND updated_at = OLD.updated_at AND pass_id = OLD.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER pass_order_issued AFTER INSERT ON pass REFERENCING NEW TABLE AS issued
  FOR EACH STATEMENT EXECUTE FUNCTION order_issued_passes();
CREATE OR REPLACE TRIGGER pass_order_updated AFTER UPDATE ON pass
  FOR EACH ROW WHEN (OLD.updated_at IS DISTINCT FROM NEW.updated_at) EXECUTE FUNCTION order_updated_pass();
CREATE OR REPLACE TRIGGER pass_order_deleted AFTER DELETE ON pass FOR EACH ROW EXECUTE FUNCTION order_deleted_pass();

-- Returns when a pass of a template was last updated; null if it has none.
CREATE OR REPLACE FUNCTION last_pass_update(account text, template text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT max(updated_at) FROM pass_update_order WHERE account_id = account AND template_id = template
$$;

-- Leaves room in each page for new versions of its rows.
ALTER TABLE pass SET (fillfactor = 85);
`;

const PAGE = 10_000;

/** Copies a page of the existing passes and returns the last one. */
const copyPage = `
WITH page AS MATERIALIZED (
  SELECT account_id, template_id, updated_at, id FROM pass
  WHERE (account_id, template_id, updated_at, id) > ($1, $2, $3::timestamptz, $4)
  ORDER BY account_id, template_id, updated_at, id LIMIT ${PAGE}
), copied AS (
  INSERT INTO pass_update_order (account_id, template_id, updated_at, pass_id) SELECT * FROM page ON CONFLICT DO NOTHING
)
SELECT account_id, template_id, updated_at::text, id FROM page
ORDER BY page.account_id DESC, page.template_id DESC, page.updated_at DESC, page.id DESC LIMIT 1`;

/** Deletes the outdated rows of passes that changed during the copy. */
const deleteOutdated = `
DELETE FROM pass_update_order o WHERE NOT EXISTS (
  SELECT FROM pass p WHERE p.account_id = o.account_id AND p.template_id = o.template_id AND p.id = o.pass_id
    AND p.updated_at = o.updated_at)`;

/**
 * Removes from all indexes the columns that every update of a pass changes, so that an update stays within its page.
 * Passes stay readable and writable meanwhile.
 */
export class PassUpdateOrder1765000000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // This index is dropped last, so its absence means that the migration is complete.
    if (!(await exists(runner, 'pass_updated_idx'))) return;
    await runner.query(table);
    if (await isWide(runner, 'pass_serial_idx')) {
      await copy(runner);
      await exchangeSerialIndex(runner);
    }
    // All outdated rows are visible now, because the index build has waited for all writers of the copied passes.
    await runner.query(deleteOutdated);
    await dropIndex(runner, 'pass_serial_old_idx');
    await dropIndex(runner, 'pass_updated_idx');
    await runner.query('ANALYZE pass_update_order');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX pass_updated_idx ON pass (account_id, template_id, updated_at, id);
      DROP INDEX pass_serial_idx;
      CREATE UNIQUE INDEX pass_serial_idx ON pass (serial_number, account_id) INCLUDE (changed_in);
      ALTER TABLE pass RESET (fillfactor);
      DROP TRIGGER pass_order_issued ON pass;
      DROP TRIGGER pass_order_updated ON pass;
      DROP TRIGGER pass_order_deleted ON pass;
      DROP FUNCTION order_issued_passes, order_updated_pass, order_deleted_pass, last_pass_update;
      DROP TABLE pass_update_order;`);
  }
}

async function copy(runner: QueryRunner): Promise<void> {
  let last: unknown[] | undefined = ['', '', '-infinity', ''];
  while (last) {
    const rows = (await runner.query(copyPage, last)) as Record<string, string>[];
    last = rows[0] && Object.values(rows[0]);
  }
}

/**
 * Removes a column from the serial number index, because every update changes that column. The index stays unique
 * throughout.
 */
async function exchangeSerialIndex(runner: QueryRunner): Promise<void> {
  await buildIndex(runner, 'pass_serial_new_idx', 'ON pass (serial_number, account_id)', 'UNIQUE INDEX');
  // Run these statements as one query, so that Postgres runs them as one transaction.
  await runner.query(`
    ALTER INDEX pass_serial_idx RENAME TO pass_serial_old_idx;
    ALTER INDEX pass_serial_new_idx RENAME TO pass_serial_idx;`);
}

async function exists(runner: QueryRunner, name: string): Promise<boolean> {
  const [row] = (await runner.query('SELECT to_regclass($1) IS NOT NULL AS found', [name])) as [{ found: boolean }];
  return row.found;
}

/** Returns true if an index includes columns besides its key. */
async function isWide(runner: QueryRunner, index: string): Promise<boolean> {
  const [row] = (await runner.query(
    'SELECT indnatts > indnkeyatts AS wide FROM pg_index WHERE indexrelid = $1::regclass',
    [index],
  )) as [{ wide: boolean }];
  return row.wide;
}

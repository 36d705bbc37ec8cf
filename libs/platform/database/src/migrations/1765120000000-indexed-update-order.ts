import type { MigrationInterface, QueryRunner } from 'typeorm';

const returning = (name: string, statement: string) => `
CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  ${statement};
  RETURN NULL;
END $$;`;

const place =
  'account_id = OLD.account_id AND template_id = OLD.template_id AND updated_at = OLD.updated_at AND pass_id = OLD.id';

/*
 * A connection keeps the plan of a statement in a function. A plan made while `pass_update_order` was small reads the
 * whole table for each changed pass, from a mass write until the next ANALYZE: 6 ms with 60,000 passes. ON CONFLICT
 * finds the row by the index of the key, whatever the plan says, and costs as much as the UPDATE. DELETE has no such
 * form, so EXECUTE plans it each time, which costs 20 µs.
 */
const indexed = [
  returning(
    'order_updated_pass',
    `INSERT INTO pass_update_order (account_id, template_id, updated_at, pass_id)
  VALUES (OLD.account_id, OLD.template_id, OLD.updated_at, OLD.id)
  ON CONFLICT (account_id, template_id, updated_at, pass_id) DO UPDATE SET updated_at = NEW.updated_at`,
  ),
  returning(
    'order_deleted_pass',
    `EXECUTE 'DELETE FROM pass_update_order
    WHERE account_id = $1 AND template_id = $2 AND updated_at = $3 AND pass_id = $4'
    USING OLD.account_id, OLD.template_id, OLD.updated_at, OLD.id`,
  ),
];

const planned = [
  returning('order_updated_pass', `UPDATE pass_update_order SET updated_at = NEW.updated_at WHERE ${place}`),
  returning('order_deleted_pass', `DELETE FROM pass_update_order WHERE ${place}`),
];

/** Finds the rows of `pass_update_order` by index, however small the table was when a connection made its plans. */
export class IndexedUpdateOrder1765120000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of indexed) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const sql of planned) await runner.query(sql);
  }
}

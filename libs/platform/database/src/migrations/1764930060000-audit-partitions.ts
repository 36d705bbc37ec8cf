import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, dropIndex } from './building-index.js';
import { isPartitioned, partition, unpartition, type Partitioning } from './partitioning.js';

const audit = {
  table: 'audit_event',
  key: 'at',
  time: 'at',
  each: 'month',
  keyAt: (at) => at,
  primaryKey: 'account_id, at, id',
  indexes: {
    audit_event_action_idx: '(account_id, action, at DESC, id DESC)',
    audit_event_actor_idx: '(account_id, actor_id, at DESC, id DESC)',
    audit_event_kind_idx: '(account_id, target_kind, at DESC, id DESC)',
    audit_event_target_idx: '(account_id, target_kind, target_id, at DESC, id DESC)',
  },
} satisfies Partitioning;

/*
 * These triggers run for each row, because a statement trigger of the table does not fire when a statement names a
 * partition. TRUNCATE has no row trigger, so each partition has a statement trigger of its own.
 */
const appendOnly = `
DROP TRIGGER audit_event_append_only ON $first;
DROP TRIGGER audit_event_kept ON $first;
ALTER TABLE audit_event ADD CONSTRAINT audit_event_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id);
CREATE TRIGGER audit_event_append_only BEFORE UPDATE ON audit_event FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_event_kept BEFORE DELETE ON audit_event FOR EACH ROW EXECUTE FUNCTION refuse_audit_deletion();
CREATE TRIGGER audit_event_not_emptied BEFORE TRUNCATE ON audit_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_event_not_emptied BEFORE TRUNCATE ON $first
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();`;

const defaultNotEmptied = `
CREATE TRIGGER audit_event_not_emptied BEFORE TRUNCATE ON audit_event_default
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`;

const plain = `
CREATE INDEX audit_event_list_idx ON audit_event (account_id, at DESC, id DESC);
ALTER TABLE audit_event ADD CONSTRAINT audit_event_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id);
CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR TRUNCATE ON audit_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_event_kept BEFORE DELETE ON audit_event FOR EACH ROW EXECUTE FUNCTION refuse_audit_deletion();`;

/** Splits the audit trail into monthly partitions. The primary key includes the time and also serves the list. */
export class AuditPartitions1764930060000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    if (!(await isPartitioned(runner, 'audit_event'))) {
      await buildIndex(runner, 'audit_event_key_idx', `ON audit_event (${audit.primaryKey})`, 'UNIQUE INDEX');
      await runner.query(`
        ALTER TABLE audit_event DROP CONSTRAINT audit_event_pkey,
          ADD CONSTRAINT audit_event_pkey PRIMARY KEY USING INDEX audit_event_key_idx`);
      await dropIndex(runner, 'audit_event_list_idx');
    }
    await partition(runner, { ...audit, also: appendOnly });
    await runner.query(`DROP TRIGGER IF EXISTS audit_event_not_emptied ON audit_event_default; ${defaultNotEmptied}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await unpartition(runner, { ...audit, primaryKey: 'account_id, id', also: plain });
  }
}

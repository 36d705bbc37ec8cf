import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Orders the events of one resource by the time at which they happened. A transaction that waited for a row may be
 * older than the transaction that changed the row before it. An event is therefore placed after all transactions that
 * had ended when it was recorded. It is never placed before its own transaction, so it never appears in a range that
 * was already read.
 */
export class EventOrder1765010000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook_event ALTER COLUMN recorded_in SET DEFAULT
        greatest(pg_current_xact_id(), (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_event ALTER COLUMN recorded_in SET DEFAULT pg_current_xact_id()');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { partition, unpartition, type Partitioning } from './partitioning.js';

/**
 * Event ids begin with their time (\`event_id()\`), so an id determines the partition of an event and its deliveries.
 */
const keyAt = (at: string) => `'evt_' || lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0')`;

const queued = `
CREATE TRIGGER webhook_event_recorded AFTER INSERT ON webhook_event REFERENCING NEW TABLE AS recorded
  FOR EACH STATEMENT EXECUTE FUNCTION queue_webhook_deliveries();`;

const events = {
  table: 'webhook_event',
  key: 'id',
  time: 'occurred_at',
  each: 'week',
  keyAt,
  primaryKey: 'account_id, id',
  indexes: {
    webhook_event_order_idx: '(account_id, recorded_in, position)',
    webhook_event_age_idx: '(occurred_at)',
  },
} satisfies Partitioning;

const ended = 'due_at IS NULL AND delivered_at IS NULL';
const deliveries = {
  table: 'webhook_delivery',
  key: 'event_id',
  time: 'occurred_at',
  each: 'week',
  keyAt,
  primaryKey: 'account_id, webhook_id, event_id',
  indexes: {
    webhook_delivery_due_idx: '(account_id, webhook_id, due_at) WHERE due_at IS NOT NULL',
    webhook_delivery_order_idx: '(account_id, webhook_id, occurred_at, event_id)',
    webhook_delivery_failed_idx: `(account_id, webhook_id, occurred_at, event_id) WHERE ${ended}`,
  },
} satisfies Partitioning;

/**
 * Continues the event numbers of the unpartitioned table. The sequence of that table belongs to its column and is
 * dropped with the column.
 */
const numbering = `
DO $$
DECLARE
  next bigint := nextval(pg_get_serial_sequence('$first', 'position'));
BEGIN
  DROP TRIGGER webhook_event_recorded ON $first;
  ALTER TABLE $first ALTER position DROP IDENTITY;
  ALTER TABLE webhook_event ALTER position ADD GENERATED ALWAYS AS IDENTITY;
  PERFORM setval(pg_get_serial_sequence('webhook_event', 'position'), next);
END $$;
${queued}`;

const numberedPlain = `
ALTER TABLE webhook_event ALTER position ADD GENERATED ALWAYS AS IDENTITY;
SELECT setval(pg_get_serial_sequence('webhook_event', 'position'), (SELECT coalesce(max(position), 0) + 1 FROM webhook_event));
${queued}`;

/** Splits events and their deliveries into weekly partitions, which are dropped once they are old. */
export class EventPartitions1764930000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await partition(runner, { ...events, also: numbering });
    await partition(runner, deliveries);
  }

  async down(runner: QueryRunner): Promise<void> {
    await unpartition(runner, { ...events, also: numberedPlain });
    await unpartition(runner, deliveries);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = `
-- A subscription to the events of an account. Without an address, its events are only stored for fetching.
CREATE TABLE webhook (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  id text COLLATE "C" NOT NULL,
  name text,
  url text,
  -- Null: all types, including future ones.
  types text[],
  -- Encrypted under the master keys.
  secret bytea NOT NULL,
  -- Also signs until \`previous_secret_until\`, so that receivers can switch without a gap.
  previous_secret bytea,
  previous_secret_until timestamptz(3),
  disabled_at timestamptz(3),
  -- Set if the service has disabled the webhook.
  disabled_because text,
  -- The first failure since the last success.
  failing_since timestamptz(3),
  -- The end of a pause that the receiver has requested.
  held_until timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, id)
);

-- An event, written by the transaction that caused it. Recorded only for accounts with a webhook.
CREATE TABLE webhook_event (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- Events are read in the order of transactions, up to the oldest open one, so that readers miss no event.
  recorded_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
  position bigint GENERATED ALWAYS AS IDENTITY,
  type text NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  data jsonb NOT NULL,
  PRIMARY KEY (account_id, id)
);
CREATE INDEX webhook_event_order_idx ON webhook_event (account_id, recorded_in, position);
CREATE INDEX webhook_event_age_idx ON webhook_event (occurred_at);

-- The delivery of one event to one webhook. It has no foreign key to the webhook, because simultaneous changes of an
-- account would all lock that row. A deleted webhook's deliveries are deleted with it, and late ones with their events.
CREATE TABLE webhook_delivery (
  account_id text COLLATE "C" NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  -- The time of the event.
  occurred_at timestamptz(3) NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  -- The time of the next attempt; null once the delivery has succeeded or was given up.
  due_at timestamptz(3),
  attempted_at timestamptz(3),
  delivered_at timestamptz(3),
  status_code integer,
  -- Why the last attempt failed, in words.
  problem text,
  PRIMARY KEY (account_id, webhook_id, event_id)
);
CREATE INDEX webhook_delivery_due_idx ON webhook_delivery (account_id, webhook_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_order_idx ON webhook_delivery (account_id, webhook_id, occurred_at, event_id);
-- Failed deliveries are few, and users look for them among many others.
CREATE INDEX webhook_delivery_failed_idx ON webhook_delivery (account_id, webhook_id, occurred_at, event_id)
  WHERE due_at IS NULL AND delivered_at IS NULL;
`;

/** Adds webhooks, events and deliveries. */
export class Webhooks1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(tables);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhook_delivery, webhook_event, webhook');
  }
}

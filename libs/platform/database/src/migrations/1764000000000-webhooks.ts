import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = `
-- A subscription to what happens in an account. Without an address its events are kept to be fetched.
CREATE TABLE webhook (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  id text COLLATE "C" NOT NULL,
  name text,
  url text,
  -- Null: all, also those that are yet to come.
  types text[],
  -- Sealed under the master keys.
  secret bytea NOT NULL,
  -- Signs as well, until then: receivers change over without a gap.
  previous_secret bytea,
  previous_secret_until timestamptz(3),
  disabled_at timestamptz(3),
  -- Set when the service has disabled it itself.
  disabled_because text,
  -- The first failure since the last success.
  failing_since timestamptz(3),
  -- Its receiver has asked for a pause.
  held_until timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, id)
);

-- What has happened, written by the transaction in which it did; only for accounts that have a webhook.
CREATE TABLE webhook_event (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- Events are read in the order of transactions, up to the oldest that has not ended: none is ever missed.
  recorded_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
  position bigint GENERATED ALWAYS AS IDENTITY,
  type text NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  data jsonb NOT NULL,
  PRIMARY KEY (account_id, id)
);
CREATE INDEX webhook_event_order_idx ON webhook_event (account_id, recorded_in, position);
CREATE INDEX webhook_event_age_idx ON webhook_event (occurred_at);

-- One event on its way to one webhook. Without a reference to it: all that happens at once in an account would lock that one
-- row, if only to share it. Those of a deleted webhook go with it; one that was recorded meanwhile goes with its event.
CREATE TABLE webhook_delivery (
  account_id text COLLATE "C" NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  -- The event's.
  occurred_at timestamptz(3) NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  -- When it is tried next; null once it has arrived or was given up.
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
-- Few, whom people look for among many.
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

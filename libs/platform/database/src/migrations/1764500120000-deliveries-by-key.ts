import type { MigrationInterface, QueryRunner } from 'typeorm';

const deleting = (condition: string) => `
CREATE OR REPLACE FUNCTION delete_webhook_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM webhook_delivery WHERE ${condition};
  RETURN NULL;
END $$;`;

const ofWebhook = 'account_id = OLD.account_id AND webhook_id = OLD.id';

/** Deletes a webhook's deliveries by key, because a ctid is unique only within one partition. */
export class DeliveriesByKey1764500120000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const keys = `SELECT event_id FROM webhook_delivery WHERE ${ofWebhook} LIMIT 5000`;
    await runner.query(deleting(`${ofWebhook} AND event_id = ANY (ARRAY(${keys}))`));
  }

  async down(runner: QueryRunner): Promise<void> {
    const places = `SELECT ctid FROM webhook_delivery WHERE ${ofWebhook} LIMIT 5000`;
    await runner.query(deleting(`ctid = ANY (ARRAY(${places}))`));
  }
}

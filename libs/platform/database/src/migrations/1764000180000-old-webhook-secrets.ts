import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the index that finds webhooks with a previous secret. */
export class OldWebhookSecrets1764000180000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX webhook_previous_secret_idx ON webhook (previous_secret_until) WHERE previous_secret_until IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX webhook_previous_secret_idx');
  }
}

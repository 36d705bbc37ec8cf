import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the index that finds messages that ended long ago. */
export class EndedMessages1765400100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX message_finished_idx ON message (finished_at) WHERE finished_at IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX message_finished_idx');
  }
}

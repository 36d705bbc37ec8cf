import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the table of jobs that were running when their process died, and of jobs that were set aside for that reason.
 */
export class SuspectJobs1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE suspect_job (
        id text COLLATE "C" PRIMARY KEY,
        task text NOT NULL,
        payload json NOT NULL,
        job_key text,
        max_attempts smallint NOT NULL,
        deaths smallint NOT NULL,
        alone boolean NOT NULL DEFAULT false,
        set_aside_at timestamptz
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE suspect_job');
  }
}

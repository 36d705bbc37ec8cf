import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds supervised API keys, and the plans of their agents that a person confirms. */
export class AgentPlans1765642000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key ADD supervised boolean NOT NULL DEFAULT false');
    await runner.query(`
      CREATE TABLE agent_plan (
        account_id text COLLATE "C" NOT NULL REFERENCES account (id),
        id text COLLATE "C" NOT NULL,
        key_id text COLLATE "C" NOT NULL,
        tool text NOT NULL,
        call_hash bytea NOT NULL,
        plan jsonb NOT NULL,
        created_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        confirmed_at timestamptz(3),
        confirmed_by text COLLATE "C",
        PRIMARY KEY (account_id, id),
        FOREIGN KEY (account_id, key_id) REFERENCES api_key (account_id, id) ON DELETE CASCADE
      )`);
    await runner.query('CREATE UNIQUE INDEX agent_plan_call_key ON agent_plan (account_id, key_id, call_hash)');
    await runner.query('CREATE INDEX agent_plan_list_idx ON agent_plan (account_id, created_at DESC, id DESC)');
    await runner.query('CREATE INDEX agent_plan_expires_at_idx ON agent_plan (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE agent_plan');
    await runner.query('ALTER TABLE api_key DROP supervised');
  }
}

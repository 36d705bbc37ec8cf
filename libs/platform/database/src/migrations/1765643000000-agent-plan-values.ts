import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Returns SQL that distinguishes accounts whose key is missing from accounts that were never encrypted. */
const hasRecords = (more = '') => `
CREATE OR REPLACE FUNCTION has_encrypted_records(account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM member WHERE account_id = account AND personal IS NOT NULL)
    OR EXISTS (SELECT FROM pass_mail WHERE account_id = account AND personal IS NOT NULL)
    OR EXISTS (SELECT FROM invite WHERE account_id = account AND personal IS NOT NULL)${more}
    OR account = 'users' AND EXISTS (SELECT FROM app_user WHERE personal IS NOT NULL)
$$;`;

/** Stores the values that a plan changes, encrypted like other personal data, until the plan or its pass is deleted. */
export class AgentPlanValues1765643000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The plans of earlier nodes do not have the values that users confirm. Their agents plan again.
      DELETE FROM agent_plan;
      ALTER TABLE agent_plan
        ADD template_id text COLLATE "C",
        ADD pass_id text COLLATE "C",
        -- The changes of an account without a key.
        ADD changes jsonb,
        ADD personal bytea,
        ADD FOREIGN KEY (account_id, template_id, pass_id)
          REFERENCES pass (account_id, template_id, id) ON DELETE CASCADE;
      CREATE INDEX agent_plan_pass_idx ON agent_plan (account_id, template_id, pass_id) WHERE pass_id IS NOT NULL;
      CREATE FUNCTION forget_agent_plan_key() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM encryption_key WHERE account_id = OLD.account_id AND id = 'plan:' || OLD.id;
        RETURN NULL;
      END $$;
      CREATE TRIGGER agent_plan_key_forgotten AFTER DELETE ON agent_plan FOR EACH ROW
        WHEN (OLD.personal IS NOT NULL) EXECUTE FUNCTION forget_agent_plan_key();
      ${hasRecords(`
    OR EXISTS (SELECT FROM agent_plan WHERE account_id = account AND personal IS NOT NULL)`)}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${hasRecords()}
      DELETE FROM agent_plan;
      DROP TRIGGER agent_plan_key_forgotten ON agent_plan;
      DROP FUNCTION forget_agent_plan_key;
      ALTER TABLE agent_plan DROP template_id, DROP pass_id, DROP changes, DROP personal;`);
  }
}

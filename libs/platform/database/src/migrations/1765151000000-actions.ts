import type { MigrationInterface, QueryRunner } from 'typeorm';

const changes = 'record_changed_passes()';
const before = `CASE WHEN b.locations IS DISTINCT FROM a.locations THEN 'locations' END`;
const after = `${before}, CASE WHEN b.actions IS DISTINCT FROM a.actions THEN 'actions' END`;

/** Adds the actions of templates and passes, and names them in the events of changed passes. */
export class Actions1765151000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE template ADD COLUMN actions jsonb');
    await runner.query('ALTER TABLE pass ADD COLUMN actions jsonb');
    await rewrite(runner, before, after);
  }

  async down(runner: QueryRunner): Promise<void> {
    await rewrite(runner, after, before);
    await runner.query('ALTER TABLE pass DROP COLUMN actions');
    await runner.query('ALTER TABLE template DROP COLUMN actions');
  }
}

async function rewrite(runner: QueryRunner, from: string, to: string): Promise<void> {
  const rows = (await runner.query('SELECT pg_get_functiondef($1::regprocedure) AS definition', [changes])) as [
    { definition: string },
  ];
  const { definition } = rows[0];
  if (!definition.includes(from)) throw new Error(`${changes} does not compare the columns that this migration knows`);
  await runner.query(definition.replace(from, () => to));
}

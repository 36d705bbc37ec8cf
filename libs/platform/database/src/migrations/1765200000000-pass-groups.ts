import type { MigrationInterface, QueryRunner } from 'typeorm';

const before = `CASE WHEN b.actions IS DISTINCT FROM a.actions THEN 'actions' END`;
const after = [
  before,
  `CASE WHEN b.pass_group IS DISTINCT FROM a.pass_group THEN 'group' END`,
  `CASE WHEN b.linked_passes IS DISTINCT FROM a.linked_passes THEN 'linkedPasses' END`,
].join(', ');

/**
 * Adds the group of a pass and its links to other passes, which `pass.changed` events name. Marks objects at Google
 * that were requested only because a pass links to them.
 */
export class PassGroups1765200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE pass ADD COLUMN pass_group jsonb, ADD COLUMN linked_passes jsonb');
    await runner.query('ALTER TABLE google_resource ADD COLUMN is_linked boolean NOT NULL DEFAULT false');
    await rewrite(runner, before, after);
  }

  async down(runner: QueryRunner): Promise<void> {
    await rewrite(runner, after, before);
    await runner.query('ALTER TABLE pass DROP COLUMN pass_group, DROP COLUMN linked_passes');
    await runner.query('ALTER TABLE google_resource DROP COLUMN is_linked');
  }
}

async function rewrite(runner: QueryRunner, from: string, to: string): Promise<void> {
  const rows = (await runner.query(
    "SELECT pg_get_functiondef('record_changed_passes()'::regprocedure) AS definition",
  )) as [{ definition: string }];
  const { definition } = rows[0];
  if (!definition.includes(from)) throw new Error('record_changed_passes() does not list the columns of a pass');
  await runner.query(definition.replace(from, () => to));
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

const changed = (column: string) => `CASE WHEN b.${column} IS DISTINCT FROM a.${column} THEN '${column}' END`;
const before = changed('locations');
const after = ['locations', 'language', 'translations'].map(changed).join(', ');

/** Adds the language of a pass's holder and its texts in other languages, which `pass.changed` events name. */
export class PassTranslations1765161000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE pass ADD COLUMN language text, ADD COLUMN translations jsonb');
    await rewrite(runner, before, after);
  }

  async down(runner: QueryRunner): Promise<void> {
    await rewrite(runner, after, before);
    await runner.query('ALTER TABLE pass DROP COLUMN language, DROP COLUMN translations');
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

import type { MigrationInterface, QueryRunner } from 'typeorm';

const translations = "CASE WHEN b.translations IS DISTINCT FROM a.translations THEN 'translations' END";
const messages = `CASE WHEN b.messages IS DISTINCT FROM a.messages AND a.messages <> '[]' THEN 'messages' END`;
const isNew = 'b.updated_at <> a.updated_at AS is_new';
const isSeen = `b.updated_at <> a.updated_at AND NOT (b.messages IS NULL AND a.messages IS NOT DISTINCT FROM '[]'::jsonb) AS is_new`;

/** Names messages in `pass.changed` events. Records no event for a pass that only got an empty list of messages. */
export class EventsOfMessages1765400200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await rewrite(runner, [
      [translations, `${translations}, ${messages}`],
      [isNew, isSeen],
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await rewrite(runner, [
      [`${translations}, ${messages}`, translations],
      [isSeen, isNew],
    ]);
  }
}

async function rewrite(runner: QueryRunner, changes: readonly (readonly [from: string, to: string])[]): Promise<void> {
  const rows = (await runner.query(
    "SELECT pg_get_functiondef('record_changed_passes()'::regprocedure) AS definition",
  )) as [{ definition: string }];
  let { definition } = rows[0];
  for (const [from, to] of changes) {
    if (!definition.includes(from)) throw new Error(`record_changed_passes() lacks ${from}`);
    definition = definition.replace(from, () => to);
  }
  await runner.query(definition);
}

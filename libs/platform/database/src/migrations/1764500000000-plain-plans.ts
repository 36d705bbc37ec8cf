import type { MigrationInterface, QueryRunner } from 'typeorm';

/*
 * A planner switch that a function sets also applies to everything that the function calls. There, a nested loop or a
 * sequential scan may be the only possible plan. With the switch, such a plan costs 10^10, so Postgres with JIT
 * compiles it for a second on each execution. Therefore no function sets a switch.
 */
const noSeqscan = ['enable_seqscan'];
const noLoops = ['enable_seqscan', 'enable_nestloop'];
const switches: Readonly<Record<string, readonly string[]>> = {
  'told_types(text)': noSeqscan,
  'queue_webhook_deliveries()': noSeqscan,
  'record_google_callback()': noSeqscan,
  'count_issued_passes()': noSeqscan,
  'count_changed_passes()': noSeqscan,
  'count_deleted_passes()': noSeqscan,
  'record_issued_passes()': noLoops,
  'record_changed_passes()': noLoops,
  'record_deleted_passes()': noLoops,
  'record_installed_passes()': noLoops,
  'record_removed_passes()': noLoops,
  'record_changed_templates()': noLoops,
  'record_new_members()': noLoops,
  'record_changed_members()': noLoops,
  'record_deleted_members()': noLoops,
  'record_certificate_notices()': noLoops,
};

/*
 * Postgres plans this statement for one row, but the plan must also join a thousand old rows with a thousand new ones.
 * A full join leaves Postgres only a hash or merge join; a condition above the full join would turn it back into an
 * inner join.
 */
const ofAccount = (table: string) => `(SELECT * FROM ${table} WHERE ${table}.account_id = account)`;
const passesOn = 'ON a.serial_number = b.serial_number';
const membersOn = 'ON a.id = b.id AND a.account_id = b.account_id';
const innerJoin = (on: string, end: string) =>
  `FROM before b JOIN after a ${on}\n    WHERE a.account_id = account${end}`;
const fullJoin = (on: string) => `FROM ${ofAccount('before')} b FULL JOIN ${ofAccount('after')} a ${on} OFFSET 0`;
const joins = [
  { name: 'record_changed_passes()', inner: innerJoin(passesOn, ' OFFSET 0'), full: fullJoin(passesOn) },
  { name: 'record_changed_members()', inner: innerJoin(membersOn, ''), full: fullJoin(membersOn) },
];

/** Removes the planner switches from the trigger functions, so that Postgres plans their statements by cost. */
export class PlainPlans1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const { name, inner, full } of joins) await rewrite(runner, name, inner, full);
    for (const name of Object.keys(switches)) await runner.query(`ALTER FUNCTION ${name} RESET ALL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name, inner, full } of joins) await rewrite(runner, name, full, inner);
    for (const [name, settings] of Object.entries(switches)) {
      for (const setting of settings) await runner.query(`ALTER FUNCTION ${name} SET ${setting} = off`);
    }
  }
}

async function rewrite(runner: QueryRunner, name: string, from: string, to: string): Promise<void> {
  const rows = (await runner.query('SELECT pg_get_functiondef($1::regprocedure) AS definition', [name])) as [
    { definition: string },
  ];
  const { definition } = rows[0];
  if (!definition.includes(from)) throw new Error(`${name} does not have the join that this migration replaces`);
  await runner.query(definition.replace(from, () => to));
}

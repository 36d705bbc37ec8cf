import type { MigrationInterface, QueryRunner } from 'typeorm';

const sum = 'greatest(sum(saves - removals), 0)';
const cappedSum = `least(${sum}, 1000)`;

/**
 * Caps the number of installations that events report for Google Wallet, like the numbers for Apple Wallet and in the
 * API document.
 */
export class CappedInstallations1765780000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await rewrite(runner, sum, cappedSum);
  }

  async down(runner: QueryRunner): Promise<void> {
    await rewrite(runner, cappedSum, sum);
  }
}

async function rewrite(runner: QueryRunner, from: string, to: string): Promise<void> {
  const rows = (await runner.query(
    "SELECT pg_get_functiondef('record_google_callback()'::regprocedure) AS definition",
  )) as [{ definition: string }];
  const { definition } = rows[0];
  if (!definition.includes(from)) throw new Error('record_google_callback() does not sum the saves and removals');
  await runner.query(definition.replace(from, () => to));
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

const formerTables = { apple: 'apple_push_halt', google: 'google_halt' };
const columns = 'account_id, fingerprint, reason, since, retry_at';

/**
 * Moves the open circuits of pushes and of Google into one table. Their former tables become views of that table,
 * because nodes of the previous version read and write them during a rolling upgrade. The next version may drop the
 * views.
 */
export class CircuitBreakers1765110000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(table);
    for (const [receiver, former] of Object.entries(formerTables)) {
      await runner.query(`LOCK TABLE ${former}`);
      await runner.query(
        `INSERT INTO circuit_breaker (receiver, ${columns}) SELECT '${receiver}', ${columns} FROM ${former}`,
      );
      await runner.query(`DROP TABLE ${former}`);
      await runner.query(view(former, receiver));
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [receiver, former] of Object.entries(formerTables)) {
      await runner.query(`DROP VIEW ${former}`);
      await runner.query(`
        CREATE TABLE ${former} (
          account_id text COLLATE "C" NOT NULL,
          fingerprint text COLLATE "C" NOT NULL,
          reason text NOT NULL,
          since timestamptz(3) NOT NULL,
          retry_at timestamptz(3) NOT NULL,
          PRIMARY KEY (account_id, fingerprint)
        )`);
      await runner.query(
        `INSERT INTO ${former} (${columns}) SELECT ${columns} FROM circuit_breaker WHERE receiver = '${receiver}'`,
      );
    }
    await runner.query('DROP TABLE circuit_breaker');
  }
}

const table = `
-- An open circuit: the receiver rejects a credential, so no work is sent with it until retry_at. The account is empty if
-- this holds for all accounts that use the credential. A credential belongs to one receiver, so the key is that of the
-- former tables, which statements of the previous version name in ON CONFLICT.
CREATE TABLE circuit_breaker (
  account_id text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  receiver text NOT NULL,
  reason text NOT NULL,
  since timestamptz(3) NOT NULL,
  retry_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, fingerprint)
)`;

/** The view shows xmax, because nodes of the previous version use it to see whether their INSERT added a row. */
function view(name: string, receiver: string): string {
  return `
    CREATE VIEW ${name} AS
      SELECT ${columns}, receiver, xmax FROM circuit_breaker WHERE receiver = '${receiver}';
    ALTER VIEW ${name} ALTER COLUMN receiver SET DEFAULT '${receiver}'`;
}

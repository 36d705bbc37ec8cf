import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Builds the columns and constraints of a table with personal data: where `personal` is not null, the columns in clear
 * must be empty. Deleting a row deletes its key.
 */
const encrypted = (table: string, key: string) => `
ALTER TABLE ${table} ADD personal bytea;
CREATE FUNCTION forget_${table}_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM encryption_key WHERE ${key};
  RETURN NULL;
END $$;
CREATE TRIGGER ${table}_key_forgotten AFTER DELETE ON ${table} FOR EACH ROW
  WHEN (OLD.personal IS NOT NULL) EXECUTE FUNCTION forget_${table}_key();`;

const tables: readonly [table: string, key: string][] = [
  ['app_user', `account_id = 'users' AND id = 'user:' || OLD.uid`],
  ['invite', `account_id = OLD.account_id AND id = 'invite:' || OLD.id`],
];

/** Adds columns for the encrypted names and e-mail addresses of users and invitees, and for hashes of identities. */
export class EncryptedUsers1764940000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(encrypted(...table));
    await runner.query(`
      -- True if \`subject\` is a keyed hash, so that a subject that a provider sends is never mistaken for a hash.
      ALTER TABLE user_identity ADD is_hashed boolean NOT NULL DEFAULT false;`);
  }

  /** Removes the columns. Works only while no data is encrypted. */
  async down(runner: QueryRunner): Promise<void> {
    for (const [table] of tables) {
      await runner.query(`
        DROP TRIGGER ${table}_key_forgotten ON ${table};
        DROP FUNCTION forget_${table}_key;
        ALTER TABLE ${table} DROP personal;`);
    }
    await runner.query('ALTER TABLE user_identity DROP is_hashed;');
  }
}

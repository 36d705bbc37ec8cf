import type { MigrationInterface, QueryRunner } from 'typeorm';

/*
 * Without this table, the personal data in the other tables is unreadable. A back-up therefore stores it separately,
 * and only for a short time (docs/privacy.md). It has no foreign key, because the two parts of a back-up can be
 * restored in either order.
 */
const keys = `
CREATE TABLE encryption_key (
  account_id text COLLATE "C" NOT NULL,
  -- 'root' is the key of the account; other ids name a record, such as 'member:17'.
  id text COLLATE "C" NOT NULL,
  -- Only for 'root': the key, encrypted under a master key.
  wrapped bytea,
  -- Only for 'root': the time since which the account has no unencrypted record; null: it may have some.
  completed_at timestamptz(3),
  -- Only for a record: the salt from which its key is derived, together with the account's key.
  salt bytea,
  -- Only for a member: keyed hashes of the beginnings of the words of name and e-mail. They are stored here, not with
  -- the member, because the account's key would reveal these words.
  search tsvector,
  PRIMARY KEY (account_id, id)
);
CREATE INDEX encryption_key_root_idx ON encryption_key (account_id, id) WHERE wrapped IS NOT NULL;
CREATE INDEX encryption_key_search_idx ON encryption_key USING gin (search) WHERE search IS NOT NULL;
`;

/**
 * Builds the columns and constraints of a table with personal data: where `personal` is not null, the columns in clear
 * must be empty.
 */
const encrypted = (table: string, key: string, id: string) => `
ALTER TABLE ${table} ADD personal bytea;
CREATE INDEX ${table}_clear_idx ON ${table} (${key}) WHERE personal IS NULL;
CREATE FUNCTION forget_${table}_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM encryption_key WHERE ${id};
  RETURN NULL;
END $$;
CREATE TRIGGER ${table}_key_forgotten AFTER DELETE ON ${table} FOR EACH ROW
  WHEN (OLD.personal IS NOT NULL) EXECUTE FUNCTION forget_${table}_key();
`;

const tables: readonly [table: string, key: string, id: string][] = [
  ['member', 'account_id, id', `account_id = OLD.account_id AND id = 'member:' || OLD.id`],
  ['pass_mail', 'account_id, id', `account_id = OLD.account_id AND id = 'mail:' || OLD.id`],
];

/**
 * Builds the trigger that records events of changed members, with a condition. Encrypting a member's unchanged data
 * must record no event.
 */
const silentEncryption = (condition: string) => `
DROP TRIGGER member_changed_event ON member;
CREATE TRIGGER member_changed_event AFTER UPDATE ON member REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT ${condition} EXECUTE FUNCTION record_changed_members();`;

/** Adds the keys that encrypt personal data, and columns for the encrypted data. Deleting a record deletes its key. */
export class EncryptionKeys1764800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(keys);
    for (const table of tables) await runner.query(encrypted(...table));
    await runner.query(silentEncryption(`WHEN (current_setting('passwright.encrypting', true) IS DISTINCT FROM 'on')`));
    await runner.query(`
      -- The message of a mail, until the mail is sent or given up.
      ALTER TABLE pass_mail ADD personal_message bytea;`);
  }

  /** Removes keys and columns. Works only while no data is encrypted. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(silentEncryption(''));
    for (const [table] of tables) {
      await runner.query(`
        DROP TRIGGER ${table}_key_forgotten ON ${table};
        DROP FUNCTION forget_${table}_key;
        ALTER TABLE ${table} DROP personal;`);
    }
    await runner.query(`
      ALTER TABLE pass_mail DROP personal_message;
      DROP TABLE encryption_key;`);
  }
}

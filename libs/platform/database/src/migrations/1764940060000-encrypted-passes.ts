import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds columns for the encrypted names on members' passes. For these passes, `primary_value` holds a digest, by which
 * triggers detect a change.
 */
export class EncryptedPasses1764940060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE pass ADD personal bytea;
      CREATE FUNCTION forget_pass_key() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM encryption_key WHERE account_id = OLD.account_id AND id = 'pass:' || OLD.serial_number;
        RETURN NULL;
      END $$;
      CREATE TRIGGER pass_key_forgotten AFTER DELETE ON pass FOR EACH ROW
        WHEN (OLD.personal IS NOT NULL) EXECUTE FUNCTION forget_pass_key();`);
  }

  /** Removes the columns. Works only while no data is encrypted. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER pass_key_forgotten ON pass;
      DROP FUNCTION forget_pass_key;
      ALTER TABLE pass DROP personal;`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Distinguishes accounts that were never encrypted from accounts whose key is missing, and indexes members stored in
 * clear.
 */
export class LostKeys1764970000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Returns true if an account, or 'users', has records that need its key. A member's pass counts with its member.
      CREATE FUNCTION has_encrypted_records(account text) RETURNS boolean LANGUAGE sql STABLE AS $$
        SELECT EXISTS (SELECT FROM member WHERE account_id = account AND personal IS NOT NULL)
          OR EXISTS (SELECT FROM pass_mail WHERE account_id = account AND personal IS NOT NULL)
          OR EXISTS (SELECT FROM invite WHERE account_id = account AND personal IS NOT NULL)
          OR account = 'users' AND EXISTS (SELECT FROM app_user WHERE personal IS NOT NULL)
      $$;

      -- The lock lets the background encryption wait for members that are not committed yet before it counts as complete.
      CREATE FUNCTION note_member_in_clear() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('members in clear/' || NEW.account_id, 4172839));
        UPDATE encryption_key SET completed_at = NULL
        WHERE account_id = NEW.account_id AND id = 'root' AND completed_at IS NOT NULL;
        RETURN NULL;
      END $$;
      CREATE TRIGGER member_in_clear_noted AFTER INSERT OR UPDATE ON member FOR EACH ROW
        WHEN (NEW.personal IS NULL) EXECUTE FUNCTION note_member_in_clear();`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER member_in_clear_noted ON member;
      DROP FUNCTION note_member_in_clear, has_encrypted_records;`);
  }
}

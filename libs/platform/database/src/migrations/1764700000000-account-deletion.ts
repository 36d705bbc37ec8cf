import type { MigrationInterface, QueryRunner } from 'typeorm';

const deletion = `
-- Accounts that are being deleted. The row is deleted last, with the account.
CREATE TABLE account_deletion (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  requested_at timestamptz(3) NOT NULL,
  -- The uid of the admin, or 'operator'.
  requested_by text COLLATE "C" NOT NULL,
  -- The deletion can be cancelled until this time.
  deletes_at timestamptz(3) NOT NULL,
  -- When the deletion began, and when the content was deleted.
  began_at timestamptz(3),
  emptied_at timestamptz(3),
  PRIMARY KEY (account_id)
);
`;

/*
 * The audit trail stays append-only. The database permits deleting events only for an account whose deletion has begun.
 * The trigger runs by row, because a statement trigger cannot see which account a row belongs to.
 */
const trail = `
CREATE FUNCTION refuse_audit_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM account_deletion WHERE account_id = OLD.account_id AND began_at IS NOT NULL) THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'The audit trail is append-only';
END $$;
DROP TRIGGER audit_event_append_only ON audit_event;
CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR TRUNCATE ON audit_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_event_kept BEFORE DELETE ON audit_event FOR EACH ROW EXECUTE FUNCTION refuse_audit_deletion();
`;

/** Adds the deletion of accounts. */
export class AccountDeletion1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [deletion, trail]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER audit_event_kept ON audit_event;
      DROP TRIGGER audit_event_append_only ON audit_event;
      CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_event
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
      DROP FUNCTION refuse_audit_deletion;
      DROP TABLE account_deletion;`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Locks the messages to a pass in the order of their ids before the deletion of the pass deletes the messages.
 * Otherwise the deletion would lock them in any order, and could deadlock with a transaction that stores the results of
 * several messages.
 */
const up = `
  CREATE FUNCTION lock_messages_of_pass() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM message WHERE account_id = OLD.account_id AND template_id = OLD.template_id AND pass_id = OLD.id
      ORDER BY id FOR UPDATE;
    RETURN OLD;
  END $$;
  CREATE TRIGGER pass_messages_locked BEFORE DELETE ON pass FOR EACH ROW EXECUTE FUNCTION lock_messages_of_pass();`;

/** Orders the locks on the messages of a deleted pass. */
export class MessagesOfDeletedPasses1765700060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER pass_messages_locked ON pass; DROP FUNCTION lock_messages_of_pass;');
  }
}

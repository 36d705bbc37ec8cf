import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = `
-- The messages that a pass shows, newest first; empty while the pass is prepared for its first one.
ALTER TABLE pass ADD COLUMN messages jsonb;

CREATE TABLE message (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  id text COLLATE "C" NOT NULL,
  template_id text COLLATE "C" NOT NULL,
  -- Null for a message to many passes of the template.
  pass_id text COLLATE "C",
  title text,
  text text NOT NULL,
  topic text,
  filter jsonb NOT NULL,
  urgent boolean NOT NULL,
  -- 'scheduled', 'sending', 'paused', 'sent', 'cancelled' or 'superseded'
  status text NOT NULL,
  -- The step of the next page: 'prepare' or 'deliver'.
  step text NOT NULL,
  send_at timestamptz(3) NOT NULL,
  -- When the next page may be processed; null while it is paused, and at the end.
  due_at timestamptz(3),
  -- The last pass of the pages that are done.
  after_pass_id text COLLATE "C" NOT NULL DEFAULT '',
  prepared integer NOT NULL DEFAULT 0,
  passes integer NOT NULL DEFAULT 0,
  sent integer NOT NULL DEFAULT 0,
  wallet_a integer NOT NULL DEFAULT 0,
  wallet_b integer NOT NULL DEFAULT 0,
  neither integer NOT NULL DEFAULT 0,
  -- The number of passes that got no message, by reason.
  skipped jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, template_id, pass_id) REFERENCES pass (account_id, template_id, id) ON DELETE CASCADE
);
CREATE INDEX message_list_idx ON message (account_id, created_at, id);
CREATE INDEX message_open_idx ON message (account_id) WHERE status IN ('scheduled', 'sending', 'paused');
CREATE INDEX message_due_idx ON message (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX message_pass_idx ON message (account_id, template_id, pass_id) WHERE pass_id IS NOT NULL;
CREATE INDEX message_topic_idx ON message (account_id, template_id, topic)
  WHERE topic IS NOT NULL AND status = 'scheduled';

-- The passes that a message has reached. The key makes sure that each gets it once.
CREATE TABLE message_recipient (
  account_id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  serial_number text COLLATE "C" NOT NULL,
  template_id text COLLATE "C" NOT NULL,
  pass_id text COLLATE "C" NOT NULL,
  wallet_a boolean NOT NULL,
  wallet_b boolean NOT NULL,
  sent_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, message_id, serial_number),
  FOREIGN KEY (account_id, message_id) REFERENCES message (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, template_id, pass_id) REFERENCES pass (account_id, template_id, id) ON DELETE CASCADE
);
CREATE INDEX message_recipient_pass_idx ON message_recipient (account_id, template_id, pass_id, sent_at, message_id);
`;

/** The triggers of webhook-events record the events of other tables. */
const events = `
CREATE FUNCTION record_message_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := 'message.created';
BEGIN
  IF TG_OP = 'UPDATE' THEN
    kind := CASE
      WHEN OLD.status = 'paused' AND NEW.status IN ('scheduled', 'sending') THEN 'message.resumed'
      WHEN NEW.status = 'sending' THEN 'message.started'
      ELSE 'message.' || NEW.status END;
  END IF;
  PERFORM record_webhook_event(NEW.account_id, kind, jsonb_strip_nulls(jsonb_build_object(
    'messageId', NEW.id, 'templateId', NEW.template_id, 'passId', NEW.pass_id, 'topic', NEW.topic, 'status', NEW.status,
    'sendAt', wire_time(NEW.send_at), 'sent', NEW.sent, 'walletA', NEW.wallet_a, 'walletB', NEW.wallet_b)));
  RETURN NULL;
END $$;
CREATE TRIGGER message_created_event AFTER INSERT ON message FOR EACH ROW EXECUTE FUNCTION record_message_event();
CREATE TRIGGER message_changed_event AFTER UPDATE OF status ON message FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION record_message_event();
`;

/** Adds messages to the holders of passes. */
export class Messages1765180000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [tables, events]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE message_recipient, message;
      DROP FUNCTION record_message_event;
      ALTER TABLE pass DROP COLUMN messages;`);
  }
}

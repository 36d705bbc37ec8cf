import type { MigrationInterface, QueryRunner } from 'typeorm';

const google = `
-- The resources of an account at Google, existing or requested: a class for each template, and an object for each pass
-- whose link was requested. Google deletes nothing, so a row stays as long as its account.
CREATE TABLE google_resource (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  -- The issuer that owns the resource. Its full id at Google is "<issuer>.<id>".
  issuer_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  template_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  -- The serial number of the pass; null for a class.
  serial_number text COLLATE "C",
  -- The hash of the content that Google has; null until the resource exists there.
  sent_hash bytea,
  sent_at timestamptz(3),
  -- Counts changes. The result of a write applies only to changes before the write.
  changes integer NOT NULL DEFAULT 0,
  -- When to compare the content with that at Google; null if nothing has changed.
  due_at timestamptz(3),
  -- The order of sending: 0 a class, 1 an object that changed alone, 2 an object that changed with its template.
  priority smallint NOT NULL DEFAULT 1,
  leased_until timestamptz(3),
  failures integer NOT NULL DEFAULT 0,
  -- Google's reason for rejecting the last write; null if it accepted the write.
  problem text,
  problem_status integer,
  -- True if Google would probably reject the same content again. The next write waits for a change, or for hours.
  refused boolean NOT NULL DEFAULT false,
  saves integer NOT NULL DEFAULT 0,
  removals integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, issuer_id, id)
);
CREATE INDEX google_resource_template_idx ON google_resource (account_id, template_id, id, issuer_id);
CREATE INDEX google_resource_serial_idx ON google_resource (account_id, serial_number) WHERE serial_number IS NOT NULL;
CREATE INDEX google_resource_due_idx ON google_resource (account_id, issuer_id, priority, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX google_resource_refused_idx ON google_resource (account_id, template_id) WHERE refused;
-- Finds a resource by its id alone, because a callback, which Google has signed, does not name the account.
CREATE INDEX google_resource_id_idx ON google_resource (id, issuer_id);

-- Callbacks that were counted, so that a repetition is not counted again.
CREATE TABLE google_callback (
  account_id text COLLATE "C" NOT NULL,
  nonce_hash bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, nonce_hash)
);
CREATE INDEX google_callback_expires_idx ON google_callback (expires_at);

-- A credential that Google rejects: no write uses it until the given time.
CREATE TABLE google_halt (
  account_id text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  since timestamptz(3) NOT NULL,
  retry_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, fingerprint)
);

-- The next free request slot of an issuer. Several accounts may share an issuer, so the table has no account. Unlogged,
-- because it is worthless after a crash.
CREATE UNLOGGED TABLE google_quota (
  issuer_id text COLLATE "C" NOT NULL,
  lane text COLLATE "C" NOT NULL,
  free_at timestamptz NOT NULL,
  PRIMARY KEY (issuer_id, lane)
);

CREATE TABLE google_service_account (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  issuer_id text NOT NULL,
  client_email text NOT NULL,
  private_key_id text,
  -- Encrypted under the master key.
  private_key bytea NOT NULL,
  uploaded_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id)
);
`;

const mails = `
-- The e-mails that sent passes to holders.
CREATE TABLE pass_mail (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  id text COLLATE "C" NOT NULL,
  template_id text COLLATE "C" NOT NULL,
  pass_id text COLLATE "C" NOT NULL,
  recipient text NOT NULL,
  reply_to text,
  lang text NOT NULL,
  subject text NOT NULL,
  message text,
  -- 'queued', 'sent' or 'failed'
  status text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  problem text,
  created_at timestamptz(3) NOT NULL,
  sent_at timestamptz(3),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, template_id, pass_id) REFERENCES pass (account_id, template_id, id) ON DELETE CASCADE
);
CREATE INDEX pass_mail_list_idx ON pass_mail (account_id, template_id, pass_id, created_at DESC, id DESC);

-- The number of mails that an account has requested since a day began, in UTC. Counting locks the row until the commit.
CREATE TABLE pass_mail_day (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  begins_at timestamptz(3) NOT NULL,
  mails integer NOT NULL,
  PRIMARY KEY (account_id)
);

-- The recipients of an account in the last hours, as keyed hashes, even if their passes were deleted since.
CREATE TABLE pass_mail_recipient (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  recipient_hash bytea NOT NULL,
  sent_at timestamptz(3) NOT NULL,
  mail_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, recipient_hash, sent_at, mail_id)
);
CREATE INDEX pass_mail_recipient_sent_idx ON pass_mail_recipient (sent_at);
`;

const codeFormats = `
-- The barcode that shows the codes of passes: 'qr', 'pdf417', 'aztec' or 'code128'.
ALTER TABLE template ADD COLUMN code_format text NOT NULL DEFAULT 'qr';
`;

/** Adds Google Wallet, passes sent by e-mail, and barcode formats other than QR. */
export class GoogleWallet1763830800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [google, mails, codeFormats]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE template DROP COLUMN code_format');
    await runner.query(
      'DROP TABLE pass_mail_recipient, pass_mail_day, pass_mail, google_service_account, google_quota, google_halt, google_callback, google_resource',
    );
  }
}

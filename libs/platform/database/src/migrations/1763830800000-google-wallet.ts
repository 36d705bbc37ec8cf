import type { MigrationInterface, QueryRunner } from 'typeorm';

const google = `
-- What is, or is to be, at Google for an account: a class for each template, an object for each pass that somebody wanted
-- there. Nothing can be deleted at Google, so no row goes before its account.
CREATE TABLE google_resource (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  -- The issuer it belongs to, and the rest of its name at Google: "<issuer>.<id>".
  issuer_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  template_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  -- Of the pass; null for a class.
  serial_number text COLLATE "C",
  -- What Google holds of it: the hash of what it was sent last. Null until something is there.
  sent_hash bytea,
  sent_at timestamptz(3),
  -- How often it has changed: what is sent meanwhile does not answer a later change.
  changes integer NOT NULL DEFAULT 0,
  -- When to compare it with what Google holds; null when nothing has changed.
  due_at timestamptz(3),
  -- Whose turn comes first: 0 a class, 1 an object that has changed alone, 2 one that has changed with its template.
  priority smallint NOT NULL DEFAULT 1,
  leased_until timestamptz(3),
  failures integer NOT NULL DEFAULT 0,
  -- What Google had against it the last time; null when it was stored.
  problem text,
  problem_status integer,
  -- True when the same again would most likely be refused again: it waits for a change, or for hours.
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
-- The look-up by a callback, which Google has signed: it names a resource without the account.
CREATE INDEX google_resource_id_idx ON google_resource (id, issuer_id);

-- Callbacks that were counted: a repetition is not.
CREATE TABLE google_callback (
  account_id text COLLATE "C" NOT NULL,
  nonce_hash bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, nonce_hash)
);
CREATE INDEX google_callback_expires_idx ON google_callback (expires_at);

-- Google does not take a credential: no write with it until then.
CREATE TABLE google_halt (
  account_id text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  since timestamptz(3) NOT NULL,
  retry_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, fingerprint)
);

-- From when on an issuer has a request free. Of all accounts that share it, so without one. Unlogged, as it is worth
-- nothing after a crash.
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
  -- Sealed: only with the master key can it be read.
  private_key bytea NOT NULL,
  uploaded_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id)
);
`;

const mails = `
-- The e-mails that brought holders their pass.
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

-- How many an account has asked for since a day began, in UTC. Whoever counts one holds the row until it commits.
CREATE TABLE pass_mail_day (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  begins_at timestamptz(3) NOT NULL,
  mails integer NOT NULL,
  PRIMARY KEY (account_id)
);

-- To whom an account has sent within the last hours, whatever became of the passes: a keyed hash of the address.
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

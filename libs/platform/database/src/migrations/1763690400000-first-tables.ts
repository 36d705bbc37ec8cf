import type { MigrationInterface, QueryRunner } from 'typeorm';

/*
 * Every primary key begins with the account, so that Postgres extensions can partition or shard the tables by account
 * without changing a query (docs/decisions/0001). Ids are compared bytewise (COLLATE "C") in every locale, so the
 * keyset order is the same everywhere. Times have milliseconds, as in responses, so that a cursor names its row
 * exactly.
 */
const identity = `
CREATE TABLE account (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  industry text,
  created_at timestamptz(3) NOT NULL
);

-- A user may be in several accounts, so the table has none: shard it as a reference table. Logins read it by e-mail.
CREATE TABLE app_user (
  uid text COLLATE "C" PRIMARY KEY,
  email text NOT NULL,
  name text NOT NULL,
  password_hash text NOT NULL,
  created_at timestamptz(3) NOT NULL
);
CREATE UNIQUE INDEX app_user_email_key ON app_user (lower(email));

CREATE TABLE account_member (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  uid text COLLATE "C" NOT NULL REFERENCES app_user (uid),
  is_admin boolean NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, uid)
);
CREATE INDEX account_member_uid_idx ON account_member (uid, created_at);

CREATE TABLE session (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  token_hash bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, uid) REFERENCES account_member (account_id, uid) ON DELETE CASCADE
);
CREATE INDEX session_expires_at_idx ON session (expires_at);

CREATE TABLE api_key (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  secret_hash bytea NOT NULL,
  scopes text[] NOT NULL,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, id)
);
-- Finds a key by its id alone, because a request does not name the account.
CREATE INDEX api_key_id_idx ON api_key (id);
CREATE INDEX api_key_list_idx ON api_key (account_id, created_at DESC, id DESC);
`;

const passes = `
CREATE TABLE template (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  title text NOT NULL,
  issuer_name text NOT NULL,
  foreground_color text NOT NULL,
  background_color text NOT NULL,
  label_color text,
  images jsonb NOT NULL,
  sharing_prohibited boolean NOT NULL,
  locations jsonb NOT NULL,
  fields jsonb NOT NULL,
  back_fields jsonb NOT NULL,
  start_date timestamptz(3),
  location jsonb,
  primary_label text,
  archived_at timestamptz(3),
  revision integer NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, id),
  -- Passes refer to this key, so that the type of a template with passes cannot change, even in a race.
  CONSTRAINT template_type_key UNIQUE (account_id, id, type)
);
CREATE INDEX template_list_idx ON template (account_id, created_at DESC, id DESC);

CREATE TABLE pass (
  account_id text COLLATE "C" NOT NULL,
  template_id text COLLATE "C" NOT NULL,
  template_type text NOT NULL,
  id text COLLATE "C" NOT NULL,
  serial_number text COLLATE "C" NOT NULL,
  code text COLLATE "C" NOT NULL,
  valid_from timestamptz(3),
  expires_at timestamptz(3),
  voided_at timestamptz(3),
  redeemed_at timestamptz(3),
  primary_value text,
  thumbnail jsonb,
  fields jsonb NOT NULL,
  back_fields jsonb NOT NULL,
  locations jsonb NOT NULL,
  metadata jsonb NOT NULL,
  version integer NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, template_id, id),
  CONSTRAINT pass_code_key UNIQUE (account_id, template_id, code),
  CONSTRAINT pass_template_fkey FOREIGN KEY (account_id, template_id, template_type)
    REFERENCES template (account_id, id, type)
);
CREATE INDEX pass_created_idx ON pass (account_id, template_id, created_at DESC, id DESC);
CREATE INDEX pass_voided_idx ON pass (account_id, template_id, created_at DESC, id DESC) WHERE voided_at IS NOT NULL;
CREATE INDEX pass_updated_idx ON pass (account_id, template_id, updated_at, id);
CREATE INDEX pass_expires_idx ON pass (account_id, template_id, expires_at, id) WHERE expires_at IS NOT NULL;

-- The tombstone of a deleted pass: only ids, type and issuer, so that phones that still hold the pass get a void one.
CREATE TABLE deleted_pass (
  account_id text COLLATE "C" NOT NULL,
  serial_number text COLLATE "C" NOT NULL,
  template_id text COLLATE "C" NOT NULL,
  pass_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  issuer_name text NOT NULL,
  deleted_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, serial_number)
);
`;

const wire = `
CREATE TABLE idempotency_key (
  account_id text COLLATE "C" NOT NULL,
  key_hash bytea NOT NULL,
  request_hash bytea NOT NULL,
  status_code integer,
  headers jsonb,
  body text,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, key_hash)
);
CREATE INDEX idempotency_key_created_at_idx ON idempotency_key (created_at);

-- The counters of rate-limiter-flexible, in its layout. Unlogged, because they are worthless after a crash.
CREATE UNLOGGED TABLE rate_limit (
  key varchar(255) COLLATE "C" PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);
`;

/** Adds accounts, users, API keys, templates, passes, idempotency keys and rate limits. */
export class FirstTables1763690400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [identity, passes, wire]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP TABLE rate_limit, idempotency_key, deleted_pass, pass, template, api_key, session, account_member, app_user, account`,
    );
  }
}

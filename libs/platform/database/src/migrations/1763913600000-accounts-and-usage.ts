import type { MigrationInterface, QueryRunner } from 'typeorm';

const people = `
-- Null: the user signs in through an identity provider, or has not chosen a password yet.
ALTER TABLE app_user ALTER COLUMN password_hash DROP NOT NULL;

ALTER TABLE session ADD COLUMN last_used_at timestamptz(3), ADD COLUMN ip text, ADD COLUMN user_agent text;
UPDATE session SET last_used_at = created_at;
ALTER TABLE session ALTER COLUMN last_used_at SET NOT NULL;
CREATE INDEX session_uid_idx ON session (uid, created_at DESC, id DESC);
-- Finds the sessions of a removed member, which are deleted with the membership.
CREATE INDEX session_member_idx ON session (account_id, uid);

CREATE TABLE invite (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  id text COLLATE "C" NOT NULL,
  email text NOT NULL,
  is_admin boolean NOT NULL,
  invited_by text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  -- Set when the invitation can no longer be used, even before it expires.
  ended_at timestamptz(3),
  -- 'accepted', 'replaced' by a newer one or 'revoked'
  ended_by text,
  PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX invite_email_key ON invite (account_id, lower(email)) WHERE ended_at IS NULL;
-- Finds an invitation by its id alone, because a code does not name the account.
CREATE INDEX invite_id_idx ON invite (id);
-- Finds the open invitations of an address, for a user who has proved it through an identity provider instead of a code.
CREATE INDEX invite_open_email_idx ON invite (lower(email)) WHERE ended_at IS NULL;
CREATE INDEX invite_expires_idx ON invite (expires_at);
CREATE INDEX invite_list_idx ON invite (account_id, created_at DESC, id DESC) WHERE ended_at IS NULL;

-- Single-use codes of users. A user has at most one code for each purpose.
CREATE TABLE user_code (
  uid text COLLATE "C" NOT NULL REFERENCES app_user (uid) ON DELETE CASCADE,
  -- 'password', 'email' or 'sign_in'
  purpose text COLLATE "C" NOT NULL,
  code_hash bytea NOT NULL,
  -- The new address, for the purpose 'email'.
  email text,
  -- The account to sign in to, for the purpose 'sign_in'.
  account_id text COLLATE "C",
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (uid, purpose)
);
CREATE UNIQUE INDEX user_code_hash_idx ON user_code (code_hash);
CREATE INDEX user_code_expires_idx ON user_code (expires_at);

-- The identity of a user at an identity provider.
CREATE TABLE user_identity (
  issuer text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL REFERENCES app_user (uid) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX user_identity_uid_idx ON user_identity (uid);
`;

const audit = `
CREATE TABLE audit_event (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  id text COLLATE "C" NOT NULL,
  at timestamptz(3) NOT NULL,
  -- 'user', 'apiKey' or 'system'
  actor_kind text NOT NULL,
  actor_id text COLLATE "C",
  action text COLLATE "C" NOT NULL,
  target_kind text NOT NULL,
  target_id text COLLATE "C",
  ip text,
  request_id text,
  before jsonb,
  after jsonb,
  PRIMARY KEY (account_id, id)
);
CREATE INDEX audit_event_list_idx ON audit_event (account_id, at DESC, id DESC);
CREATE INDEX audit_event_action_idx ON audit_event (account_id, action, at DESC, id DESC);
CREATE INDEX audit_event_actor_idx ON audit_event (account_id, actor_id, at DESC, id DESC);
CREATE INDEX audit_event_kind_idx ON audit_event (account_id, target_kind, at DESC, id DESC);
CREATE INDEX audit_event_target_idx ON audit_event (account_id, target_kind, target_id, at DESC, id DESC);

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The audit trail is append-only';
END $$;
CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
`;

const billing = `
CREATE TABLE billing (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  payment_customer_id text COLLATE "C",
  plan_id text,
  -- 'trialing', 'active', 'past_due', 'canceled' or 'unpaid'; with it the subscription is there as a whole
  status text,
  payment_subscription_id text COLLATE "C",
  current_period_start timestamptz(3),
  current_period_end timestamptz(3),
  -- 'month' or 'year'
  period text,
  -- Null: no limit.
  max_templates integer,
  max_pass_creations integer,
  -- The values that an operator has set, each with its time. A value applies if it is newer than the provider's.
  operator_settings jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id)
);

-- Events of the payment provider under its own ids. They may arrive before the account is known, more than once, and in
-- any order.
CREATE TABLE payment_event (
  id text COLLATE "C" NOT NULL,
  received_at timestamptz(3) NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX payment_event_received_idx ON payment_event (received_at);

-- Versions order the events; only a higher version changes the row.
CREATE TABLE payment_customer (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" REFERENCES account (id),
  version text COLLATE "C" NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX payment_customer_account_idx ON payment_customer (account_id);

CREATE TABLE payment_subscription (
  id text COLLATE "C" NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  -- The account that the subscription itself names; null: the account of its customer.
  account_id text COLLATE "C" REFERENCES account (id),
  account_version text COLLATE "C",
  started_at timestamptz(3) NOT NULL,
  plan_id text NOT NULL,
  status text NOT NULL,
  current_period_start timestamptz(3) NOT NULL,
  current_period_end timestamptz(3) NOT NULL,
  period text NOT NULL,
  version text COLLATE "C" NOT NULL,
  -- Null with a version: no limit. Null without a version: the provider has not named one.
  max_templates integer,
  max_templates_version text COLLATE "C",
  max_pass_creations integer,
  max_pass_creations_version text COLLATE "C",
  received_at timestamptz(3) NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX payment_subscription_customer_idx ON payment_subscription (customer_id);
CREATE INDEX payment_subscription_account_idx ON payment_subscription (account_id);
-- Finds subscriptions that never got an account.
CREATE INDEX payment_subscription_received_idx ON payment_subscription (received_at) WHERE account_id IS NULL;
`;

/** Adds users, the audit trail and billing. */
export class AccountsAndUsage1763913600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [people, audit, billing]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE payment_subscription, payment_customer, payment_event, billing, audit_event, user_identity, user_code, invite;
      DROP FUNCTION refuse_audit_change;
      ALTER TABLE session DROP COLUMN last_used_at, DROP COLUMN ip, DROP COLUMN user_agent;
      DROP INDEX IF EXISTS session_uid_idx, session_member_idx;
      DELETE FROM app_user WHERE password_hash IS NULL AND uid NOT IN (SELECT uid FROM account_member);
      UPDATE app_user SET password_hash = '' WHERE password_hash IS NULL;
      ALTER TABLE app_user ALTER COLUMN password_hash SET NOT NULL;`);
  }
}

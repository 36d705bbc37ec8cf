import type { MigrationInterface, QueryRunner } from 'typeorm';

const memberships = `
-- 'member': a member manages the pass; null: the pass is not managed.
ALTER TABLE pass ADD COLUMN follows text;

CREATE TABLE membership_settings (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  template_id text COLLATE "C" NOT NULL,
  -- [{ key, daysBefore }]
  reminders jsonb NOT NULL,
  -- The IANA name of the time zone in which days are counted.
  time_zone text NOT NULL,
  -- The time of the last change of reminders or zone. Reminders that were due before it are not sent late.
  reminders_since timestamptz(3) NOT NULL,
  -- The label of the front field that shows the end of the membership; null: members' passes have no such field.
  notice_label text,
  -- The id of the newest member. Ids have no gaps.
  last_member_id integer NOT NULL,
  version integer NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id),
  CONSTRAINT membership_settings_template_fkey FOREIGN KEY (account_id, template_id) REFERENCES template (account_id, id)
);

CREATE TABLE member (
  account_id text COLLATE "C" NOT NULL REFERENCES membership_settings (account_id),
  id integer NOT NULL,
  template_id text COLLATE "C" NOT NULL,
  pass_id text COLLATE "C" NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  -- 'pending', 'active', 'suspended', 'expired' or 'cancelled'
  status text NOT NULL,
  data jsonb NOT NULL,
  expires_at timestamptz(3),
  -- { [key]: ISO date }, for the current term
  reminders_sent jsonb NOT NULL,
  -- Reminders due up to this time are done: sent, or too late to be useful.
  reminded_until timestamptz(3) NOT NULL,
  -- The time of the next automatic change, a reminder or the expiry; null: none.
  due_at timestamptz(3),
  -- The earliest time of the next attempt after a failed one.
  retry_at timestamptz(3),
  -- The words of name and e-mail in lower case, each after the account, so that one index serves all accounts.
  search tsvector NOT NULL,
  version integer NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX member_email_key ON member (account_id, lower(email));
CREATE UNIQUE INDEX member_pass_key ON member (account_id, template_id, pass_id);
CREATE INDEX member_status_idx ON member (account_id, status, id);
CREATE INDEX member_expires_idx ON member (account_id, expires_at, id) WHERE expires_at IS NOT NULL;
-- Also finds members whose expiry has passed but is not recorded yet: they count as expired from then on.
CREATE INDEX member_status_expires_idx ON member (account_id, status, expires_at, id) WHERE expires_at IS NOT NULL;
CREATE INDEX member_search_idx ON member USING gin (search);
-- Covers all accounts: finds due members, expiries before reminders.
CREATE INDEX member_due_idx ON member (due_at, expires_at) WHERE due_at IS NOT NULL;
`;

/** Adds membership settings and members. */
export class Memberships1763917200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(memberships);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE member, membership_settings; ALTER TABLE pass DROP COLUMN follows;');
  }
}

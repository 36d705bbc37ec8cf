import type { MigrationInterface, QueryRunner } from 'typeorm';

const memberships = `
-- 'member': it follows one; null: nobody.
ALTER TABLE pass ADD COLUMN follows text;

CREATE TABLE membership_settings (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  template_id text COLLATE "C" NOT NULL,
  -- [{ key, daysBefore }]
  reminders jsonb NOT NULL,
  -- IANA name: in which zone days are counted.
  time_zone text NOT NULL,
  -- Since when reminders and zone are these: what they would have sent before is not sent late.
  reminders_since timestamptz(3) NOT NULL,
  -- Label of the front field that says until when the membership lasts; null: members' passes have no such field.
  notice_label text,
  -- The id of the member that was created last: ids have no gaps.
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
  -- { [key]: ISO date }, of the present term
  reminders_sent jsonb NOT NULL,
  -- Reminders up to then are done with: sent, or too late to be of use.
  reminded_until timestamptz(3) NOT NULL,
  -- When there is something to do by itself: the next reminder, or the expiry; null: nothing.
  due_at timestamptz(3),
  -- Not before then, as it could not be done when it was due.
  retry_at timestamptz(3),
  -- Words of name and e-mail in lower case, each preceded by the account, so that one index serves all.
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
-- Also for those whose expiry has passed: they read as expired from then on, before it is noted too.
CREATE INDEX member_status_expires_idx ON member (account_id, status, expires_at, id) WHERE expires_at IS NOT NULL;
CREATE INDEX member_search_idx ON member USING gin (search);
-- Over all accounts: for the work that is due, expiries before reminders.
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

import type { MigrationInterface, QueryRunner } from 'typeorm';

const up = `
-- Addresses from which users have signed in. Limits per e-mail do not apply to them.
CREATE TABLE known_address (
  -- An HMAC of e-mail and address. It is found without the user, and reveals neither.
  key text COLLATE "C" PRIMARY KEY,
  uid text COLLATE "C" NOT NULL REFERENCES app_user (uid) ON DELETE CASCADE,
  seen_at timestamptz(3) NOT NULL
);
CREATE INDEX known_address_uid_idx ON known_address (uid, seen_at);
CREATE INDEX known_address_seen_idx ON known_address (seen_at);
`;

/** Adds the addresses from which users have signed in. */
export class KnownAddresses1764910000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE known_address');
  }
}

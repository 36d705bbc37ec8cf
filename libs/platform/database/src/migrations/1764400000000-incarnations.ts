import type { MigrationInterface, QueryRunner } from 'typeorm';

const incarnation = `
-- One row: the period since this database was created, restored, rolled back or promoted (docs/decisions/0012).
CREATE TABLE incarnation (
  is_current boolean NOT NULL DEFAULT true CHECK (is_current),
  -- Empty for the first incarnation, whose tags look as they did before this table existed.
  id text COLLATE "C" NOT NULL DEFAULT '',
  -- The server and database of the incarnation; null until a node has recorded them.
  server text COLLATE "C",
  timeline bigint,
  -- Grows while the service runs. Storage outside the database has the same number.
  beat bigint NOT NULL DEFAULT 0,
  beaten_in xid8,
  reason text,
  begun_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (is_current)
) WITH (fillfactor = 50);
INSERT INTO incarnation DEFAULT VALUES;

-- The progress of each listener that repairs something after a new incarnation.
CREATE TABLE incarnation_work (
  name text COLLATE "C" NOT NULL,
  incarnation text COLLATE "C" NOT NULL,
  -- Null when the listener is done.
  position jsonb,
  PRIMARY KEY (name)
);

-- Returns the current timeline. After a promotion, pg_control_checkpoint() shows the old one until the first checkpoint.
CREATE FUNCTION wal_timeline() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint
$$;

CREATE FUNCTION server_identity() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT system_identifier || '.' || (SELECT oid FROM pg_database WHERE datname = current_database())
  FROM pg_control_system()
$$;

-- Names the history that this statement's transaction numbers belong to. Null where the numbers must not be returned: a
-- standby does not know which transactions are open, and a transaction that began on a standby stays read-only.
CREATE FUNCTION history_epoch() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF pg_is_in_recovery() OR current_setting('transaction_read_only') <> current_setting('default_transaction_read_only') THEN
    RETURN NULL;
  END IF;
  RETURN (SELECT left(md5(i.id || s.system_identifier || '.' || wal_timeline()), 10)
    FROM incarnation i, pg_control_system() s);
END $$;
`;

/** Adds the incarnation of the database, which entity tags and cursors name. */
export class Incarnations1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(incarnation);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP FUNCTION history_epoch, server_identity, wal_timeline; DROP TABLE incarnation_work, incarnation',
    );
  }
}

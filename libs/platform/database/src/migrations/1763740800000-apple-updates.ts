import type { MigrationInterface, QueryRunner } from 'typeorm';

/*
 * `changed_in` is the transaction that last changed what a holder sees. A trigger maintains it together with
 * `updated_at`. A device asks for all changes after the snapshot of its previous request. A change that this snapshot
 * could not see is new, no matter when its transaction began or in which order transactions commit
 * (docs/decisions/0005).
 */
const changes = `
ALTER TABLE template ADD COLUMN changed_in xid8 NOT NULL DEFAULT pg_current_xact_id();
ALTER TABLE pass ADD COLUMN changed_in xid8 NOT NULL DEFAULT pg_current_xact_id(), ADD COLUMN expired_at timestamptz(3);
ALTER TABLE deleted_pass ADD COLUMN changed_in xid8 NOT NULL DEFAULT pg_current_xact_id();

CREATE FUNCTION set_changed_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_in = pg_current_xact_id();
  RETURN NEW;
END $$;
CREATE TRIGGER template_changed_in BEFORE UPDATE ON template
  FOR EACH ROW WHEN (OLD.updated_at IS DISTINCT FROM NEW.updated_at) EXECUTE FUNCTION set_changed_in();
CREATE TRIGGER pass_changed_in BEFORE UPDATE ON pass
  FOR EACH ROW WHEN (OLD.updated_at IS DISTINCT FROM NEW.updated_at) EXECUTE FUNCTION set_changed_in();

-- Finds a pass by its serial number alone, because a phone does not name the account.
CREATE UNIQUE INDEX pass_serial_idx ON pass (serial_number, account_id) INCLUDE (changed_in);
CREATE INDEX deleted_pass_serial_idx ON deleted_pass (serial_number, account_id) INCLUDE (changed_in);
CREATE INDEX deleted_pass_address_idx ON deleted_pass (account_id, template_id, pass_id);
CREATE INDEX template_changed_idx ON template (account_id, id) INCLUDE (changed_in);
CREATE INDEX pass_expiring_idx ON pass (expires_at) WHERE expires_at IS NOT NULL AND expired_at IS NULL;
`;

const devices = `
CREATE TABLE apple_device (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  -- The service's own id of the device. The identifier that the device sends is a secret, enough to list its passes.
  id text COLLATE "C" NOT NULL,
  pass_type_identifier text COLLATE "C" NOT NULL,
  device_library_identifier text COLLATE "C" NOT NULL,
  push_token text NOT NULL,
  registered_at timestamptz(3) NOT NULL,
  listed_at timestamptz(3),
  -- The snapshot of the device's last list.
  listed_in pg_snapshot,
  -- When to check if the device needs a push; null if it does not.
  due_at timestamptz(3),
  pushed_at timestamptz(3),
  push_id text,
  push_status integer,
  push_reason text,
  push_attempts integer NOT NULL DEFAULT 0,
  push_score real NOT NULL DEFAULT 0,
  -- Failed pushes in a row, and the time until which the device is not pushed: pacing, or the pause after a failure.
  push_failures integer NOT NULL DEFAULT 0,
  push_not_before timestamptz(3),
  bad_tokens integer NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX apple_device_library_idx
  ON apple_device (pass_type_identifier, device_library_identifier, account_id) INCLUDE (id);
CREATE INDEX apple_device_due_idx ON apple_device (account_id, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE apple_registration (
  account_id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  serial_number text COLLATE "C" NOT NULL,
  template_id text COLLATE "C" NOT NULL,
  registered_at timestamptz(3) NOT NULL,
  -- The time of the pass version that the device holds: that of its registration, later that of its last fetch.
  seen_at timestamptz(3) NOT NULL,
  fetched_at timestamptz(3),
  fetched_status integer,
  -- Set if the pass had already changed when the device registered, so that the version on the device is unknown.
  registered_in xid8,
  -- Includes all columns that the list of a device's changed passes needs, so that it reads only indexes.
  PRIMARY KEY (account_id, device_id, serial_number) INCLUDE (template_id, registered_in),
  FOREIGN KEY (account_id, device_id) REFERENCES apple_device (account_id, id) ON DELETE CASCADE
);
CREATE INDEX apple_registration_serial_idx ON apple_registration (account_id, serial_number, device_id);
CREATE INDEX apple_registration_template_idx ON apple_registration (account_id, template_id, device_id);

-- Devices that no longer take updates of a pass.
CREATE TABLE apple_former_registration (
  account_id text COLLATE "C" NOT NULL,
  serial_number text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  -- 'unregistered' by the device, 'gone' or 'bad_token' by the push service
  reason text NOT NULL,
  left_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, serial_number, device_id)
);
CREATE INDEX apple_former_registration_left_idx ON apple_former_registration (left_at);

-- Log messages of devices: untrusted text, stored only if it names a pass of the service.
CREATE TABLE apple_log_line (
  account_id text COLLATE "C" NOT NULL,
  serial_number text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  line text NOT NULL,
  received_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, serial_number, id)
);
CREATE INDEX apple_log_line_received_idx ON apple_log_line (received_at);

-- A certificate that the push service rejects: no push uses it until the given time. The account is empty if this holds
-- for all accounts that use the certificate.
CREATE TABLE apple_push_halt (
  account_id text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  since timestamptz(3) NOT NULL,
  retry_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, fingerprint)
);
`;

const certificates = `
CREATE TABLE apple_certificate (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  certificate_pem text NOT NULL,
  intermediate_pem text NOT NULL,
  -- Encrypted under the master key.
  private_key bytea NOT NULL,
  pass_type_identifier text NOT NULL,
  team_identifier text NOT NULL,
  organization_name text NOT NULL,
  fingerprint text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  development boolean NOT NULL,
  uploaded_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id)
);
CREATE INDEX apple_certificate_expires_idx ON apple_certificate (expires_at);

-- A private key that was created here and waits for its certificate.
CREATE TABLE apple_certificate_request (
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  request_pem text NOT NULL,
  private_key bytea NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id)
);

-- Notices that people have received, such as «expires in 30 days», each once. The operator's have an empty account.
CREATE TABLE notice (
  account_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  sent_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, key)
);
`;

/** Adds changes, devices and certificates, which keep passes in Apple Wallet up to date. */
export class AppleUpdates1763740800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [changes, devices, certificates]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE notice, apple_certificate_request, apple_certificate, apple_push_halt, apple_log_line,
        apple_former_registration, apple_registration, apple_device;
      DROP TRIGGER template_changed_in ON template;
      DROP TRIGGER pass_changed_in ON pass;
      DROP FUNCTION set_changed_in;
      DROP INDEX pass_serial_idx, deleted_pass_serial_idx, template_changed_idx, pass_expiring_idx;
      ALTER TABLE deleted_pass DROP COLUMN changed_in;
      ALTER TABLE pass DROP COLUMN changed_in, DROP COLUMN expired_at;
      ALTER TABLE template DROP COLUMN changed_in;`);
  }
}

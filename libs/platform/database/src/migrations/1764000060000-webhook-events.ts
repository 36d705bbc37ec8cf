import type { MigrationInterface, QueryRunner } from 'typeorm';

/*
 * The statement that makes a change records its event in the same transaction, if a webhook subscribes to it
 * (docs/decisions/0009). Recording works by statement, so a thousand passes are one insert. An account without webhooks
 * pays for one look-up in an index that has no entry for most accounts.
 */
const recording = `
CREATE INDEX webhook_open_idx ON webhook (account_id) WHERE disabled_at IS NULL;

-- Returns the types of events that an account's webhooks receive: '*' for all; null without a webhook.
CREATE FUNCTION told_types(account text) RETURNS text[] LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
DECLARE
  types text[];
BEGIN
  SELECT array_agg(DISTINCT type) INTO types
  FROM webhook w CROSS JOIN LATERAL unnest(coalesce(w.types, '{*}')) AS type
  WHERE w.account_id = account AND w.disabled_at IS NULL;
  RETURN types;
END $$;

-- Returns an unguessable id that grows with time, so that an index appends it at its end.
CREATE FUNCTION event_id() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT 'evt_' || lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 13)
$$;

-- Formats a time as the API does.
CREATE FUNCTION wire_time(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Records one event. Returns its id; null if no webhook receives it.
CREATE FUNCTION record_webhook_event(account text, kind text, details jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  told text[];
  event text;
BEGIN
  told := told_types(account);
  IF told IS NULL OR NOT told && ARRAY['*', kind] THEN RETURN NULL; END IF;
  INSERT INTO webhook_event (account_id, id, type, occurred_at, data)
  VALUES (account, event_id(), kind, date_trunc('milliseconds', clock_timestamp()), details) RETURNING id INTO event;
  RETURN event;
END $$;

-- Queues the deliveries of new events. The job has no key, because transactions that add one key wait for each other.
CREATE FUNCTION queue_webhook_deliveries() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  account text;
BEGIN
  FOR account IN SELECT DISTINCT account_id FROM recorded LOOP
    INSERT INTO webhook_delivery (account_id, webhook_id, event_id, occurred_at, due_at)
    SELECT w.account_id, w.id, e.id, e.occurred_at, e.occurred_at FROM webhook w JOIN recorded e ON e.account_id = w.account_id
    WHERE w.account_id = account AND w.disabled_at IS NULL AND w.url IS NOT NULL
      AND (w.types IS NULL OR e.type = ANY (w.types));
    IF FOUND THEN PERFORM graphile_worker.add_job('webhooks.recorded', json_build_object('accountId', account)); END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER webhook_event_recorded AFTER INSERT ON webhook_event REFERENCING NEW TABLE AS recorded
  FOR EACH STATEMENT EXECUTE FUNCTION queue_webhook_deliveries();

-- Deletes as many deliveries as one statement may; the hourly clean-up deletes the rest.
CREATE FUNCTION delete_webhook_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM webhook_delivery WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM webhook_delivery WHERE account_id = OLD.account_id AND webhook_id = OLD.id LIMIT 5000));
  RETURN NULL;
END $$;
CREATE TRIGGER webhook_deleted AFTER DELETE ON webhook FOR EACH ROW EXECUTE FUNCTION delete_webhook_deliveries();
`;

/** Builds a trigger function that records rows of `source` for each subscribed account, as \`account\` and \`told\`. */
const recorder = (name: string, source: string, kinds: string, select: string) => `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_nestloop = off AS $$
DECLARE
  account text;
  told text[];
  now timestamptz := date_trunc('milliseconds', clock_timestamp());
BEGIN
  -- Of one account, as mostly, that has no webhook, as most: nothing more to do.
  SELECT account_id INTO account FROM ${source} LIMIT 1;
  IF NOT FOUND OR NOT EXISTS (SELECT FROM webhook w WHERE w.account_id = account AND w.disabled_at IS NULL)
    AND NOT EXISTS (SELECT FROM ${source} s WHERE s.account_id <> account) THEN RETURN NULL; END IF;
  FOR account IN SELECT DISTINCT account_id FROM ${source} LOOP
    told := told_types(account);
    CONTINUE WHEN told IS NULL OR NOT told && '{*,${kinds}}';
    INSERT INTO webhook_event (account_id, id, type, occurred_at, data)
    SELECT account, event_id(), kind, now, jsonb_strip_nulls(details) FROM (${select}) AS happened
    WHERE told && ARRAY['*', kind];
  END LOOP;
  RETURN NULL;
END $$;`;

const on = (trigger: string, table: string, event: string, tables: string, name: string) => `
CREATE TRIGGER ${trigger} AFTER ${event} ON ${table} REFERENCING ${tables}
  FOR EACH STATEMENT EXECUTE FUNCTION ${name}();`;

/** Builds SQL for the names of the columns that differ between \`b\` and \`a\`. */
const differences = (columns: Record<string, string>) =>
  `array_remove(ARRAY[${Object.entries(columns)
    .map(([column, name]) => `CASE WHEN b.${column} IS DISTINCT FROM a.${column} THEN '${name}' END`)
    .join(', ')}], NULL)`;

/** Builds SQL for a pass after the change, without its content. */
const passData = (row: string) => `jsonb_build_object(
  'templateId', ${row}.template_id, 'passId', ${row}.id,
  'voided', ${row}.voided_at IS NOT NULL OR EXISTS (
    SELECT FROM template t WHERE t.account_id = account AND t.id = ${row}.template_id AND t.archived_at IS NOT NULL),
  'redeemedAt', wire_time(${row}.redeemed_at), 'expiry', wire_time(${row}.expires_at),
  'updatedAt', wire_time(${row}.updated_at))`;

const contents = differences({
  code: 'code',
  valid_from: 'validFrom',
  expires_at: 'expiry',
  primary_value: 'primaryValue',
  thumbnail: 'thumbnail',
  fields: 'fields',
  back_fields: 'backFields',
  locations: 'locations',
});

/** Records one event for each kind of change, and no event if only the metadata changed. */
const changedPasses = `
  SELECT unnest(kinds || CASE WHEN is_new AND (changed <> '{}' OR kinds = '{}') THEN '{pass.changed}'::text[] END) AS kind,
    details, changed
  FROM (
    SELECT ${passData('a')} AS details, ${contents} AS changed, b.updated_at <> a.updated_at AS is_new, array_remove(ARRAY[
      CASE WHEN b.voided_at IS NULL AND a.voided_at IS NOT NULL THEN 'pass.voided' END,
      CASE WHEN b.voided_at IS NOT NULL AND a.voided_at IS NULL THEN 'pass.unvoided' END,
      CASE WHEN b.redeemed_at IS NULL AND a.redeemed_at IS NOT NULL THEN 'pass.redeemed' END,
      CASE WHEN b.expired_at IS NULL AND a.expired_at IS NOT NULL AND coalesce(a.voided_at, a.redeemed_at) IS NULL
        THEN 'pass.expired' END], NULL) AS kinds
    FROM before b JOIN after a ON a.serial_number = b.serial_number
    WHERE a.account_id = account OFFSET 0
  ) AS change`;

const passes = `
${recorder('record_issued_passes', 'issued', 'pass.created', `SELECT 'pass.created' AS kind, ${passData('p')} AS details FROM issued p WHERE p.account_id = account`)}
${on('pass_issued_event', 'pass', 'INSERT', 'NEW TABLE AS issued', 'record_issued_passes')}
${recorder(
  'record_changed_passes',
  'after',
  'pass.changed,pass.voided,pass.unvoided,pass.redeemed,pass.expired',
  `SELECT kind, details || CASE WHEN kind = 'pass.changed' THEN jsonb_build_object('changed', changed) ELSE '{}' END AS details
   FROM (${changedPasses}) AS changes`,
)}
${on('pass_changed_event', 'pass', 'UPDATE', 'OLD TABLE AS before NEW TABLE AS after', 'record_changed_passes')}
${recorder('record_deleted_passes', 'gone', 'pass.deleted', `SELECT 'pass.deleted' AS kind, jsonb_build_object('templateId', p.template_id, 'passId', p.id) AS details FROM gone p WHERE p.account_id = account`)}
${on('pass_deleted_event', 'pass', 'DELETE', 'OLD TABLE AS gone', 'record_deleted_passes')}
`;

/** Builds SQL for the current or former owner of a pass, by serial number. */
const addressOf = (row: string) => `LATERAL (
    SELECT template_id, id FROM pass WHERE account_id = account AND serial_number = ${row}.serial_number
    UNION ALL
    SELECT template_id, pass_id FROM deleted_pass WHERE account_id = account AND serial_number = ${row}.serial_number
    LIMIT 1
  ) AS p`;

/** The count of devices stops at this number, so that a very popular pass costs no more than others. */
const countedAtMost = 1000;

const appleHolders = (kind: string, rows: string) => `
  SELECT '${kind}' AS kind, jsonb_build_object('templateId', p.template_id, 'passId', p.id, 'wallet', 'walletA',
    'installations', (SELECT count(*) FROM (
      SELECT FROM apple_registration r WHERE r.account_id = account AND r.serial_number = d.serial_number
      LIMIT ${countedAtMost}) AS held)) AS details
  FROM ${rows} d CROSS JOIN ${addressOf('d')} WHERE d.account_id = account`;

const wallets = `
${recorder('record_installed_passes', 'registered', 'pass.installed', appleHolders('pass.installed', 'registered'))}
${on('apple_registration_made_event', 'apple_registration', 'INSERT', 'NEW TABLE AS registered', 'record_installed_passes')}
${recorder('record_removed_passes', 'gone', 'pass.removed', appleHolders('pass.removed', 'gone'))}
${on('apple_registration_deleted_event', 'apple_registration', 'DELETE', 'OLD TABLE AS gone', 'record_removed_passes')}

-- Works on one row, because each callback changes one row, and no other change of the table fires the trigger.
CREATE FUNCTION record_google_callback() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  account text := NEW.account_id;
BEGIN
  IF told_types(account) IS NULL THEN RETURN NULL; END IF;
  PERFORM record_webhook_event(account, CASE WHEN NEW.saves > OLD.saves THEN 'pass.installed' ELSE 'pass.removed' END,
    jsonb_build_object('templateId', p.template_id, 'passId', p.id, 'wallet', 'walletB', 'installations', (
      SELECT greatest(sum(saves - removals), 0) FROM google_resource r
      WHERE r.account_id = account AND r.serial_number = NEW.serial_number)))
  FROM ${addressOf('NEW')};
  RETURN NULL;
END $$;
CREATE TRIGGER google_callback_event AFTER UPDATE OF saves, removals ON google_resource FOR EACH ROW
  WHEN (NEW.serial_number IS NOT NULL AND (NEW.saves > OLD.saves OR NEW.removals > OLD.removals))
  EXECUTE FUNCTION record_google_callback();
`;

const templates = `
${recorder(
  'record_changed_templates',
  'after',
  'template.changed,template.archived,template.unarchived',
  `SELECT CASE
     WHEN b.archived_at IS NULL AND a.archived_at IS NOT NULL THEN 'template.archived'
     WHEN b.archived_at IS NOT NULL AND a.archived_at IS NULL THEN 'template.unarchived'
     ELSE 'template.changed' END AS kind,
     jsonb_build_object('templateId', a.id, 'archived', a.archived_at IS NOT NULL, 'updatedAt', wire_time(a.updated_at)) AS details
   FROM before b JOIN after a ON a.id = b.id AND a.account_id = b.account_id
   WHERE a.account_id = account AND b.updated_at <> a.updated_at`,
)}
${on('template_changed_event', 'template', 'UPDATE', 'OLD TABLE AS before NEW TABLE AS after', 'record_changed_templates')}
`;

const memberData = (row: string) => `jsonb_build_object('memberId', ${row}.id, 'templateId', ${row}.template_id,
    'passId', ${row}.pass_id, 'status', ${row}.status, 'expiry', wire_time(${row}.expires_at))`;

/**
 * A member has been renewed if an expired membership is active again, or if an active one ends later or no longer ends.
 * Other changes are recorded as separate events.
 */
const changedMembers = `
  SELECT kind, details || CASE WHEN kind = 'member.changed' THEN jsonb_build_object('changed', changed) ELSE '{}' END AS details
  FROM (SELECT unnest(CASE WHEN kind = 'member.renewed' AND array_remove(changed, 'expiry') <> '{}'
    THEN ARRAY[kind, 'member.changed'] ELSE ARRAY[kind] END) AS kind, details, changed FROM (
    SELECT ${memberData('a')} AS details,
      ${differences({ email: 'email', name: 'name', data: 'data', expires_at: 'expiry' })} AS changed,
      CASE
        WHEN a.status = 'active' AND b.status = 'expired' THEN 'member.renewed'
        WHEN a.status = 'active' AND b.status = 'active' AND b.expires_at < coalesce(a.expires_at, 'infinity')
          THEN 'member.renewed'
        WHEN a.status = b.status THEN 'member.changed'
        WHEN a.status = 'active' THEN 'member.activated'
        ELSE 'member.' || a.status
      END AS kind
    FROM before b JOIN after a ON a.id = b.id AND a.account_id = b.account_id
    WHERE a.account_id = account
  ) AS change) AS told_of
  WHERE kind <> 'member.changed' OR changed <> '{}'`;

const members = `
${recorder('record_new_members', 'made', 'member.created', `SELECT 'member.created' AS kind, ${memberData('m')} AS details FROM made m WHERE m.account_id = account`)}
${on('member_made_event', 'member', 'INSERT', 'NEW TABLE AS made', 'record_new_members')}
${recorder(
  'record_changed_members',
  'after',
  'member.changed,member.activated,member.suspended,member.expired,member.renewed,member.cancelled',
  changedMembers,
)}
${on('member_changed_event', 'member', 'UPDATE', 'OLD TABLE AS before NEW TABLE AS after', 'record_changed_members')}
${recorder('record_deleted_members', 'gone', 'member.deleted', `SELECT 'member.deleted' AS kind, jsonb_build_object('memberId', m.id, 'templateId', m.template_id, 'passId', m.pass_id) AS details FROM gone m WHERE m.account_id = account`)}
${on('member_deleted_event', 'member', 'DELETE', 'OLD TABLE AS gone', 'record_deleted_members')}
`;

/** A notice's key is \`apple-certificate:<fingerprint>:<days left, or "expired">\`. */
const certificates = `
${recorder(
  'record_certificate_notices',
  'noted',
  'certificate.expiring,certificate.expired',
  `SELECT CASE WHEN n.key LIKE '%:expired' THEN 'certificate.expired' ELSE 'certificate.expiring' END AS kind,
     jsonb_build_object('wallet', 'walletA', 'fingerprint', c.fingerprint, 'expiresAt', wire_time(c.expires_at),
       'passTypeIdentifier', c.pass_type_identifier) AS details
   FROM noted n JOIN apple_certificate c ON c.account_id = n.account_id AND split_part(n.key, ':', 2) = c.fingerprint
   WHERE n.account_id = account AND n.key LIKE 'apple-certificate:%'`,
)}
${on('notice_event', 'notice', 'INSERT', 'NEW TABLE AS noted', 'record_certificate_notices')}
`;

const triggers: Record<string, string[]> = {
  pass: ['pass_issued_event', 'pass_changed_event', 'pass_deleted_event'],
  apple_registration: ['apple_registration_made_event', 'apple_registration_deleted_event'],
  google_resource: ['google_callback_event'],
  template: ['template_changed_event'],
  member: ['member_made_event', 'member_changed_event', 'member_deleted_event'],
  notice: ['notice_event'],
  webhook_event: ['webhook_event_recorded'],
  webhook: ['webhook_deleted'],
};

/** Adds the triggers that record events for webhooks. */
export class WebhookEvents1764000060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [recording, passes, wallets, templates, members, certificates]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, names] of Object.entries(triggers)) {
      for (const name of names) await runner.query(`DROP TRIGGER ${name} ON ${table}`);
    }
    await runner.query(`
      DROP FUNCTION record_issued_passes, record_changed_passes, record_deleted_passes, record_installed_passes,
        record_removed_passes, record_google_callback, record_changed_templates, record_new_members, record_changed_members,
        record_deleted_members, record_certificate_notices, queue_webhook_deliveries, delete_webhook_deliveries,
        record_webhook_event, wire_time, event_id, told_types;
      DROP INDEX webhook_open_idx;`);
  }
}

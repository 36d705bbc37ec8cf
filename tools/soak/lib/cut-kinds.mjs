/**
 * The kinds of exchanges that are interrupted. Each kind makes its own resource, sends its calls, and reads from the
 * database what they have done. An effect is a number, which must be 1 after a successful call, and 0 or 1 after a 503.
 */
import { randomUUID } from 'node:crypto';
import { downloadPass } from './pass-package.mjs';

const SIMULTANEOUS = 8;
const LINES = 8;
const field = (value) => ({ fields: [{ key: 'turn', label: 'Turn', value }] });
const times = (count, make) => Array.from({ length: count }, (_, n) => make(n));
const keyed = () => ({ 'Idempotency-Key': randomUUID() });

/** Counts passes, and those without exactly one event. */
const createdSql = `
  SELECT count(*)::int AS effects, count(*) FILTER (WHERE (SELECT count(*) FROM webhook_event
    WHERE account_id = p.account_id AND type = 'pass.created' AND data->>'passId' = p.id) <> 1)::int AS torn
  FROM pass p WHERE metadata->>'cut' = $1`;

/** Reads how often a pass was changed, and whether exactly the changed pass has a job that pushes it. */
const changedSql = `
  SELECT version - 1 AS effects, ((version > 1) <> (SELECT count(*) = 1
    FROM graphile_worker._private_jobs WHERE payload->>'serialNumber' = serial_number))::int AS torn
  FROM pass WHERE id = $1`;

const redeemedSql = `
  SELECT (redeemed_at IS NOT NULL)::int AS effects, ((redeemed_at IS NOT NULL) <> (SELECT count(*) = 1
    FROM webhook_event WHERE type = 'pass.redeemed' AND data->>'passId' = pass.id))::int AS torn
  FROM pass WHERE id = $1`;

const registeredSql = `
  SELECT count(*)::int AS effects, (count(*) <> (SELECT count(*) FROM apple_device
    WHERE device_library_identifier = $1))::int AS torn
  FROM apple_registration r JOIN apple_device d ON d.account_id = r.account_id AND d.id = r.device_id
  WHERE device_library_identifier = $1`;

/**
 * Counts messages, and those without the job that pushes the pass. Ends the earlier messages, because an account may
 * have only a hundred that are not sent, and no job sends them here.
 */
const messageSql = `
  WITH ended AS (UPDATE message SET status = 'cancelled', due_at = NULL WHERE text <> $1 AND due_at IS NOT NULL)
  SELECT count(*)::int AS effects, count(*) FILTER (WHERE (SELECT count(*)
      FROM graphile_worker._private_jobs j JOIN pass p ON p.serial_number = j.payload->>'serialNumber'
      WHERE p.account_id = m.account_id AND p.id = m.pass_id) <> 1)::int AS torn
  FROM message m WHERE text = $1`;

/** Counts new members, and those without a pass. Their data is encrypted, so it does not identify them. */
const memberSql = `
  SELECT count(*)::int - $1::int AS effects, count(*) FILTER (WHERE p.id IS NULL)::int AS torn
  FROM member m LEFT JOIN pass p ON p.account_id = m.account_id AND p.template_id = m.template_id AND p.id = m.pass_id`;

let members = 0;

/** Issues a pass. @returns the body of the response */
async function issued(client) {
  return (await client.sure('POST', '/v1/pass/soak', { id: randomUUID() })).body;
}

/** Issues a pass and registers a phone for it. @returns the pass */
async function held(client) {
  const { pass, walletAUrl } = await issued(client);
  const device = randomUUID().replaceAll('-', '');
  const phone = await downloadPass(client.url, walletAUrl);
  await client.sure(...registration(phone, device));
  return pass;
}

function registration({ ids, token }, device) {
  const path = `/v1/devices/${device}/registrations/${ids.passTypeIdentifier}/${ids.serialNumber}`;
  return ['POST', path, { pushToken: device }, { Authorization: `ApplePass ${token}` }];
}

/**
 * Issues passes at once, for two accounts in turn. Those without a key share a transaction with the others of their
 * account. @param headers returns the headers of a call
 */
const issue = (count, headers) => async (client) =>
  times(count, (n) => {
    const marker = randomUUID();
    return {
      by: client.turn(n),
      call: ['POST', '/v1/pass/soak', { metadata: { cut: marker } }, headers()],
      marker,
      sql: createdSql,
      values: [marker],
    };
  });

const change = (headers) => async (client) => {
  const { id } = await held(client);
  return [{ call: ['PATCH', `/v1/pass/soak/${id}`, field(randomUUID()), headers()], sql: changedSql, values: [id] }];
};

export const kinds = {
  'issue passes at once': issue(SIMULTANEOUS, () => ({})),
  'issue passes with keys': issue(4, keyed),
  'change a pass on a phone': change(() => ({})),
  'change a pass on a phone with a key': change(keyed),
  'redeem a pass with a key': async (client) => {
    const { pass } = await issued(client);
    return [
      { call: ['POST', `/v1/pass/soak/${pass.id}/redeem`, undefined, keyed()], sql: redeemedSql, values: [pass.id] },
    ];
  },
  'issue a batch': async () => {
    const ids = times(LINES, () => randomUUID());
    const body = ids.map((id) => JSON.stringify({ id, metadata: { cut: id } })).join('\n');
    return [{ call: ['POST', '/v1/pass/soak/batch?existing=skip', body], lines: ids, sql: createdSql }];
  },
  'read passes at once': async (client) => {
    // Both accounts have passes of these ids.
    const ids = times(LINES / 2, () => randomUUID());
    const read = async (_, n) => {
      const [by, id, marker] = [client.turn(n), ids[n >> 1], randomUUID()];
      await by.sure('POST', '/v1/pass/soak', { id, metadata: { cut: marker } });
      return { by, call: ['GET', `/v1/pass/soak/${id}`], marker, sql: createdSql, values: [marker] };
    };
    return Promise.all(Array.from({ length: LINES }, read));
  },
  'register a phone': async (client) => {
    const { walletAUrl } = await issued(client);
    const device = randomUUID().replaceAll('-', '');
    const phone = await downloadPass(client.url, walletAUrl);
    return [{ call: registration(phone, device), isRepeatable: true, sql: registeredSql, values: [device] }];
  },
  'send a message with a key': async (client) => {
    const { id } = await held(client);
    const text = randomUUID();
    return [{ call: ['POST', `/v1/pass/soak/${id}/messages`, { text }, keyed()], sql: messageSql, values: [text] }];
  },
  'add a member with a key': async () => {
    const body = { email: `${randomUUID()}@example.com`, name: 'Ada' };
    return [{ call: ['POST', '/v1/memberships/members', body, keyed()], sql: memberSql, values: [members++] }];
  },
};

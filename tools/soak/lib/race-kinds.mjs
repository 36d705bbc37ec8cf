/**
 * The kinds of writes that the test races. Each kind creates its resource, defines the call that all callers make at
 * once, and checks the outcome.
 */
import { randomUUID } from 'node:crypto';

const anEmail = () => `${randomUUID()}@example.com`;
const count = (responses, ...statuses) => responses.filter(({ status }) => statuses.includes(status)).length;

/** Requires that exactly one response has one of the statuses, and that all others have `rejection`. */
const oneOf = (statuses, rejection) => (responses) => {
  const [won, rejected] = [count(responses, ...statuses), count(responses, rejection)];
  return won === 1 && won + rejected === responses.length ? null : `${won} won, ${rejected} got ${rejection}`;
};
const exactly = (limit, status, rejection) => (responses) => {
  const [made, rejected] = [count(responses, status), count(responses, rejection)];
  return made === limit && made + rejected === responses.length
    ? null
    : `${made} of ${limit} made, ${rejected} rejected`;
};

/** Builds calls on a new pass of the account. */
const onPass = (method, path, body, holds, headers) => async (racer) => {
  const id = randomUUID();
  const made = await racer.call('POST', '/v1/pass/card', { id });
  const etag = { 'If-Match': made.headers.etag };
  const call = (n) =>
    racer.send(n, method, `/v1/pass/card/${id}${path}`, { body: body?.(n), headers: headers && etag });
  return { call, holds };
};

/**
 * Builds calls that all change the same version of a resource. Exactly one may succeed.
 *
 * @param {string} method
 * @param {string} read
 * @param {(n: number, racer: any) => object} body
 * @param {{ write?: string, make?: (racer: any) => Promise<string> }} [options]
 */
const versioned =
  (method, read, body, { write = read, make } = {}) =>
  async (racer) => {
    const id = await make?.(racer);
    const path = (form) => form.replace('{id}', id);
    const { headers } = await racer.call('GET', path(read));
    const etag = { 'If-Match': headers.etag };
    const call = (n) => racer.send(n, method, path(write), { body: body(n, racer), headers: etag });
    return { call, holds: oneOf([200], 412) };
  };

/** Builds calls that all delete the same resource. Exactly one may succeed. */
const endedOnce =
  (make, path, rejection = 404) =>
  async (racer) => {
    const id = await make(racer);
    return { call: (n) => racer.send(n, 'DELETE', path.replace('{id}', id)), holds: oneOf([204], rejection) };
  };

/** Builds calls that all create the same resource. Exactly one may succeed. */
const madeOnce =
  (path, body, rejection = 409) =>
  async (racer) => {
    const [one, id] = [body(), randomUUID()];
    return {
      call: (n) => racer.send(n, 'POST', path, { body: one.id ? { ...one, id } : one }),
      holds: oneOf([201], rejection),
    };
  };

const newMember = async (racer, status) =>
  (await racer.call('POST', '/v1/memberships/members', { email: anEmail(), name: 'Ada', status })).body.id;
const newWebhook = async (racer) => (await racer.call('POST', '/v1/webhooks', {})).body.id;
const newKey = async (racer) => (await racer.call('POST', '/v1/auth/keys', { name: 'Race' })).body.id;

/** Creates an account whose plan allows `limit` resources, and builds calls that create more than that. */
const limited = (option, limit, call) => async (racer) => {
  const account = await racer.newAccount();
  racer.operator('accounts', 'set', account.accountId, option, String(limit));
  if (option !== '--max-templates') await account.saveTemplate('card');
  return { call: (n) => call(account, n), holds: exactly(limit, option === '--max-templates' ? 200 : 201, 403) };
};

export const kinds = {
  'redeem a pass': onPass('POST', '/redeem', null, oneOf([200], 409)),
  'create a pass with one id': madeOnce('/v1/pass/card', () => ({ id: true })),
  'create a pass with one code': madeOnce('/v1/pass/card', () => ({ code: randomUUID() })),
  'create a pass with one idempotency key': async (racer) => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const holds = (responses) => {
      const bodies = new Set(responses.map(({ text }) => text));
      return count(responses, 201) === responses.length && bodies.size === 1 ? null : `${bodies.size} responses differ`;
    };
    return {
      call: (n) =>
        racer.send(n, 'POST', '/v1/pass/card', { body: { code: 'same' + headers['Idempotency-Key'] }, headers }),
      holds,
    };
  },
  'change a pass by its version': onPass('PATCH', '', (n) => ({ metadata: { n } }), oneOf([200], 412), true),
  'change metadata by its version': onPass('PATCH', '/metadata', (n) => ({ metadata: { n } }), oneOf([200], 412), true),
  'replace a pass of a known version': onPass('POST', '', (n) => ({ metadata: { n } }), oneOf([200], 412), true),
  'delete a pass': onPass('DELETE', '', null, oneOf([204], 404)),
  'change a pass, all of them': async (racer) => {
    const id = randomUUID();
    await racer.call('POST', '/v1/pass/card', { id });
    const call = (n) => racer.send(n, 'PATCH', `/v1/pass/card/${id}`, { body: { metadata: { [`n${n}`]: n } } });
    const holds = async (responses) => {
      const { body } = await racer.call('GET', `/v1/pass/card/${id}`);
      const stored = Object.keys(body.pass.metadata).length;
      return count(responses, 200) === stored ? null : `${stored} changes of ${count(responses, 200)} are kept`;
    };
    return { call, holds };
  },
  'void, unvoid and redeem a pass': async (racer) => {
    const id = randomUUID();
    await racer.call('POST', '/v1/pass/card', { id });
    const paths = ['void', 'unvoid', 'redeem'];
    const call = (n) => racer.send(n, 'POST', `/v1/pass/card/${id}/${paths[n % paths.length]}`);
    const holds = (responses) => {
      const redeemed = responses.filter(({ status }, n) => n % paths.length === 2 && status === 200).length;
      return redeemed <= 1 && count(responses, 200, 409) === responses.length ? null : `redeemed ${redeemed} times`;
    };
    return { call, holds };
  },
  'send messages to a pass beside its end': async (racer) => {
    const id = randomUUID();
    await racer.call('POST', '/v1/pass/card', { id });
    const soon = () => ({ sendAt: new Date(Date.now() + 500).toISOString() });
    const message = (n) => ({ text: `Gate ${n}`, topic: `gate${n % 3}`, ...(n % 2 === 1 && soon()) });
    const call = (n) =>
      n % 8 !== 7
        ? racer.send(n, 'POST', `/v1/pass/card/${id}/messages`, { body: message(n) })
        : racer.send(n, 'DELETE', `/v1/pass/card/${id}`);
    const holds = (responses) => {
      const left = racer.sql(`SELECT count(*) FROM message WHERE pass_id = '${id}'`);
      if (count(responses, 201, 204, 404) !== responses.length) return 'another status';
      if (count(responses, 204) === 0) return 'the pass was not deleted';
      return left === '0' ? null : `${left} messages have no pass`;
    };
    return { call, holds };
  },
  'send messages to many passes beside ends': async (racer) => {
    await racer.saveTemplate('crowd');
    const ids = Array.from({ length: 11 }, () => randomUUID());
    for (const id of ids) await racer.call('POST', '/v1/pass/crowd', { id });
    const pass = (n) => `/v1/pass/crowd/${ids[n % ids.length]}`;
    const calls = [
      (n) =>
        racer.send(n, 'POST', '/v1/templates/crowd/messages', { body: { text: 'Doors open', topic: `t${n % 3}` } }),
      (n) => racer.send(n, 'POST', `${pass(n)}/messages`, { body: { text: 'Doors open', topic: 'doors' } }),
      (n) => racer.send(n, 'DELETE', pass(n)),
      (n) => racer.send(n, 'PATCH', pass(n), { body: { code: randomUUID() } }),
    ];
    const holds = (responses) => (count(responses, 200, 201, 204, 404) === responses.length ? null : 'another status');
    return { call: (n) => calls[n % calls.length](n), holds };
  },
  'change a template by its version': versioned(
    'POST',
    '/v1/templates/{id}',
    (n, racer) => ({ ...racer.template, title: `Turn ${n}` }),
    {
      make: async (racer) => {
        await racer.saveTemplate('versions');
        return 'versions';
      },
    },
  ),
  'change a webhook by its version': versioned('PATCH', '/v1/webhooks/{id}', () => ({ name: randomUUID() }), {
    make: async (racer) => racer.spare('webhook', newWebhook),
  }),
  'change a member by its version': versioned('PATCH', '/v1/memberships/members/{id}', (n) => ({ data: { n } }), {
    make: newMember,
  }),
  'change the account by its version': versioned('PATCH', '/v1/account', (n) => ({
    name: `Account ${n} ${randomUUID()}`,
  })),
  'change the settings by their version': versioned('PUT', '/v1/memberships/settings', (n) => ({
    templateId: 'club',
    reminders: [{ key: `k${randomUUID()}`.slice(0, 20), daysBefore: (n % 60) + 1 }],
  })),
  'create a member with one e-mail': madeOnce('/v1/memberships/members', () => ({ email: anEmail(), name: 'Ada' })),
  'create members, numbered without a gap': async (racer) => {
    const before = Number(racer.sql(`SELECT coalesce(max(id), 0) FROM member WHERE account_id = '${racer.accountId}'`));
    const holds = (responses) => {
      const ids = responses.filter(({ status }) => status === 201).map(({ text }) => JSON.parse(text).id);
      const isRow = ids.toSorted((one, other) => one - other).every((id, at) => id === before + at + 1);
      return isRow ? null : `ids ${ids.join()} after ${before}`;
    };
    return {
      call: (n) => racer.send(n, 'POST', '/v1/memberships/members', { body: { email: anEmail(), name: 'Ada' } }),
      holds,
    };
  },
  'activate a member': async (racer) => {
    const id = await newMember(racer, 'pending');
    return { call: (n) => racer.send(n, 'POST', `/v1/memberships/members/${id}/activate`), holds: oneOf([200], 409) };
  },
  'delete a member': endedOnce(newMember, '/v1/memberships/members/{id}'),
  'delete a webhook': endedOnce(newWebhook, '/v1/webhooks/{id}'),
  'revoke a key': endedOnce(newKey, '/v1/auth/keys/{id}'),
  'rotate a key by itself': async (racer) => {
    const { id, key } = (await racer.call('POST', '/v1/auth/keys', { name: 'Race', scopes: ['account:write'] })).body;
    const bearer = (secret) => ({ headers: { Authorization: `Bearer ${secret}` } });
    const call = (n) => racer.send(n, 'POST', `/v1/auth/keys/${id}/rotate`, bearer(key));
    const holds = async (responses) => {
      const won = responses.find(({ status }) => status === 200);
      const used = won && (await racer.send(0, 'GET', '/v1/auth/keys', bearer(JSON.parse(won.text).key)));
      await racer.call('DELETE', `/v1/auth/keys/${id}`);
      return oneOf([200], 401)(responses) ?? (used.status === 200 ? null : `the new secret got ${used.status}`);
    };
    return { call, holds };
  },
  'delete a template': endedOnce(async (racer) => {
    await racer.saveTemplate('ended');
    return 'ended';
  }, '/v1/templates/{id}'),
  'delete a template beside new passes': async (racer) => {
    await racer.saveTemplate('ending');
    const call = (n) =>
      n % 8 !== 7
        ? racer.send(n, 'POST', '/v1/pass/ending', { body: {} })
        : racer.send(n, 'DELETE', '/v1/templates/ending');
    const holds = () => {
      const orphans = Number(
        racer.sql(`SELECT count(*) FROM pass p WHERE account_id = '${racer.accountId}' AND NOT EXISTS
          (SELECT FROM template t WHERE t.account_id = p.account_id AND t.id = p.template_id)`),
      );
      return orphans === 0 ? null : `${orphans} passes have no template`;
    };
    return { call, holds };
  },
  'create passes up to the plan': limited('--max-pass-creations', 7, (account, n) =>
    account.send(n, 'POST', '/v1/pass/card', { body: {} }),
  ),
  'create templates up to the plan': limited('--max-templates', 5, (account, n) =>
    account.send(n, 'POST', `/v1/templates/t${n}`, { body: account.template }),
  ),
  'register one e-mail': async (racer) => {
    const body = { email: anEmail(), password: randomUUID(), name: 'Ada', accountName: 'Ada' };
    return { call: (n) => racer.send(n, 'POST', '/v1/auth/register', { body }), holds: oneOf([201], 409) };
  },
  'refresh with one token': async (racer) => {
    const { refreshToken } = (await racer.login()).body;
    const call = (n) => racer.send(n, 'POST', '/v1/auth/refresh', { body: { refreshToken } });
    return { call, holds: oneOf([200], 401) };
  },
  'reset a password with one code': async (racer) => {
    // The service sends only a few mails to one address, so use another address each time.
    const { email } = await racer.newAccount();
    await racer.call('POST', '/v1/auth/password/forgot', { email });
    const body = { code: await racer.mailedCode('password/reset', email), password: randomUUID() };
    return { call: (n) => racer.send(n, 'POST', '/v1/auth/password/reset', { body }), holds: oneOf([204], 401) };
  },
  'accept one invitation': async (racer) => {
    const email = anEmail();
    await racer.call('POST', '/v1/account/invite', { email });
    const code = await racer.mailedCode('invites', email);
    const body = { name: 'Grace', password: randomUUID() };
    const call = (n) => racer.send(n, 'POST', `/v1/account/invites/${code}/accept`, { body, isAnonymous: true });
    return {
      call,
      holds: (all) => (count(all, 200) === 1 && count(all, 409, 410) === all.length - 1 ? null : 'not once'),
    };
  },
  'remove the last two admins': async (racer) => {
    const account = await racer.newAccount();
    const other = await account.invited(true);
    const uids = [other.uid, (await account.call('GET', '/v1/auth/me')).body.uid];
    const by = [account, other];
    const call = (n) => by[n % 2].send(n, 'PATCH', `/v1/account/members/${uids[n % 2]}`, { body: { isAdmin: false } });
    const holds = () => {
      const left = racer.sql(
        `SELECT count(*) FROM account_member WHERE account_id = '${account.accountId}' AND is_admin`,
      );
      return left === '1' ? null : `${left} admins are left`;
    };
    return { call, holds };
  },
};

/**
 * The kinds whose responses the service does not store under an Idempotency-Key. The response contains a secret, or the
 * caller has no credential.
 */
export const unstored = new Set([
  'register one e-mail',
  'refresh with one token',
  'reset a password with one code',
  'accept one invitation',
]);

/** Returns a template with the sample images of the service at `url`. */
export function templateOf(url) {
  const look = { title: 'Race', issuerName: 'Race', foregroundColor: '#ffffff', backgroundColor: '#1f2a44' };
  const images = ['icon', 'logo', 'banner'].map((name) => [name, `${url}/images/samples/${name}.png`]);
  return { type: 'offer', ...look, ...Object.fromEntries(images) };
}

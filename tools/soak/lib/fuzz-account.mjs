// The account that the fuzz test calls. It has a resource of each kind, and gets new ones for those that requests end.
import { randomUUID } from 'node:crypto';
import { scopes } from './access-rules.mjs';
import { Tenant } from './tenant.mjs';

const bearer = (token) => `Bearer ${token}`;

export class FuzzAccount {
  /** The ids of the resources, by the name of the path parameter. @type {Record<string, string>} */
  ids = {
    ...{ templateId: 'card', passId: 'held', file: 'icon.png', serialNumber: 'x' },
    ...{ passTypeIdentifier: 'pass.dev.passwright', deviceLibraryIdentifier: 'device' },
  };
  /** The values of the header Authorization, by the name of the credential. */
  credentials = {};

  /** @param admin a tenant with the session of an admin; `tenant` uses an API key of the same account */
  constructor(admin, tenant) {
    this.admin = admin;
    this.tenant = tenant;
  }

  static async open(node) {
    const admin = await new Tenant(node.url).register();
    const key = (await admin.call('POST', '/v1/auth/keys', { name: 'fuzz', scopes })).body;
    const reader = (await admin.call('POST', '/v1/auth/keys', { name: 'reader', scopes: ['passes:read'] })).body;
    const other = await new Tenant(node.url).register();
    const { body } = await admin.call('GET', '/v1/account');
    const account = new FuzzAccount(admin, new Tenant(node.url, { token: key.key }));
    Object.assign(account.ids, { accountId: body.id, keyId: key.id, uid: body.members[0].uid });
    account.credentials = {
      ...{ nobody: '', admin: bearer(admin.token), key: bearer(key.key), reader: bearer(reader.key) },
      ...{ other: bearer(other.token), phone: 'ApplePass made-up', wrong: 'Bearer a.b.c', basic: 'Basic dXNlcjpwYXNz' },
    };
    await account.renew();
    return account;
  }

  /** Makes the resources usable again after requests have deleted, archived, voided or replaced them. */
  async renew() {
    const { ids, tenant } = this;
    const call = (method, path, body) => tenant.call(method, path, body).catch(() => ({ body: {} }));
    await call('POST', '/v1/templates/card/unarchive');
    await tenant.save('card').catch(() => undefined);
    // A redeemed pass cannot be sent.
    await call('DELETE', '/v1/pass/card/held');
    await call('POST', '/v1/pass/card/held', { voided: false });
    const fields = [{ key: 'discount', label: 'Discount', value: '20%' }];
    const thumbnail = `${tenant.url}/images/samples/thumbnail.png`;
    const generic = { type: 'generic', primaryLabel: 'Name', fields, thumbnail };
    await tenant.save('generic', generic).catch(() => undefined);
    await call('POST', '/v1/pass/generic/held', { primaryValue: 'Ada' });
    await call('POST', '/v1/templates/membership/unarchive');
    await tenant.save('membership', { type: 'membership', primaryLabel: 'Member' }).catch(() => undefined);
    await call('PUT', '/v1/memberships/settings', { templateId: 'membership', reminders: [] });
    await call('DELETE', `/v1/memberships/members/${ids.memberId}`);
    ids.memberId = await this.#idOf(
      '/v1/memberships/members',
      { email: `${randomUUID()}@example.com`, name: 'Ada', status: 'active', expiry: '2030-01-01T00:00:00Z' },
      ids.memberId,
    );
    await call('DELETE', `/v1/webhooks/${ids.webhookId}`);
    ids.webhookId = await this.#idOf('/v1/webhooks', {}, ids.webhookId);
    const invited = await this.admin
      .call('POST', '/v1/account/invite', { email: 'guest@example.com' })
      .catch(() => null);
    ids.code = invited?.body.code ?? ids.code ?? 'x';
    ids.messageId = await this.#idOf('/v1/pass/card/held/messages', { text: 'Hello' }, ids.messageId);
  }

  async #idOf(path, body, otherwise = 'x') {
    const made = await this.tenant.call('POST', path, body).catch(() => null);
    return made === null ? otherwise : String(made.body.id);
  }
}

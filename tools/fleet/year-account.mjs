// An account with memberships. It makes the calls that an issuer's back office would make.
import { randomUUID } from 'node:crypto';

const sample = (name) => `https://passes.example.com/images/samples/${name}.png`;

export class YearAccount {
  id = '';
  token = '';

  constructor(url, zone) {
    this.url = url;
    this.zone = zone;
  }

  static async open(url, zone, reminders) {
    const account = new YearAccount(url, zone);
    const person = { email: `${randomUUID()}@example.com`, password: randomUUID(), name: 'Ada', accountName: zone };
    const registered = await account.call('POST', '/v1/auth/register', person);
    account.id = registered.accountId;
    account.token = registered.accessToken;
    account.token = (await account.call('POST', '/v1/auth/keys', { name: 'back office' })).key;
    await account.call('POST', '/v1/templates/club', {
      ...{ type: 'membership', title: 'Club', issuerName: 'Harbour Hall', primaryLabel: 'Member' },
      ...{ foregroundColor: '#ffffff', backgroundColor: '#14325a' },
      ...{ icon: sample('icon'), logo: sample('logo'), banner: sample('banner') },
    });
    await account.call('PUT', '/v1/memberships/settings', { templateId: 'club', reminders, timeZone: zone });
    return account;
  }

  create(n, expiresAt) {
    const expiry = new Date(expiresAt).toISOString();
    return this.post('', { email: `member${n}@example.com`, name: `Member ${n}`, status: 'active', expiry });
  }

  renew(id, expiresAt) {
    return this.post(`/${id}/renew`, { expiry: new Date(expiresAt).toISOString() });
  }

  suspend(id) {
    return this.post(`/${id}/suspend`);
  }

  activate(id) {
    return this.post(`/${id}/activate`);
  }

  /**
   * @param {string} path
   * @param {object} [body]
   */
  post(path, body) {
    return this.call('POST', `/v1/memberships/members${path}`, body);
  }

  async call(method, path, body) {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(this.token && { Authorization: `Bearer ${this.token}` }),
      },
      body: body && JSON.stringify(body),
    });
    const reply = await response.json().catch(() => null);
    if (response.ok) return reply;
    throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(reply)}`);
  }
}

// The accounts whose calls are interrupted.
import { randomUUID } from 'node:crypto';
import { scopes } from './access-rules.mjs';
import { jsonRequest, Wire } from './wire.mjs';

const look = {
  type: 'offer',
  title: 'Soak',
  issuerName: 'Soak',
  foregroundColor: '#ffffff',
  backgroundColor: '#1f2a44',
};

export class CutClient {
  #wire = new Wire();
  /** @type {string | undefined} */
  token;
  /** @type {CutClient} */
  other;

  constructor(url) {
    this.url = url;
  }

  /** Opens two accounts. @returns the first, which knows the other */
  static async openTwo(url) {
    const [client, other] = [await new CutClient(url).open(), await new CutClient(url).open()];
    return Object.assign(client, { other });
  }

  /** Returns this account and the other one in turn. */
  turn(n) {
    return n % 2 === 0 ? this : this.other;
  }

  /** Registers an account with templates, a webhook and members. */
  async open() {
    const person = { email: `${randomUUID()}@example.com`, password: randomUUID(), name: 'Soak', accountName: 'Soak' };
    this.token = (await this.sure('POST', '/v1/auth/register', person)).body.accessToken;
    this.token = (await this.sure('POST', '/v1/auth/keys', { name: 'soak', scopes })).body.key;
    const sample = (name) => `${this.url}/images/samples/${name}.png`;
    const images = { icon: sample('icon'), logo: sample('logo'), banner: sample('banner') };
    await this.sure('POST', '/v1/templates/soak', { ...look, ...images });
    const club = { ...look, ...images, type: 'membership', primaryLabel: 'Member' };
    await this.sure('POST', '/v1/templates/club', club);
    await this.sure('PUT', '/v1/memberships/settings', { templateId: 'club', reminders: [] });
    await this.sure('POST', '/v1/webhooks', {});
    return this;
  }

  /** Makes a call. A text as the body is sent as NDJSON. @returns its status, headers and text */
  send(method, target, body, headers = {}) {
    const content = jsonRequest(body, typeof body === 'string' ? 'application/x-ndjson' : undefined);
    const authorization = { Authorization: `Bearer ${this.token}` };
    return this.#wire.send(this.url, {
      ...{ method, target, body: content.body },
      headers: { ...content.headers, ...(this.token && authorization), ...headers },
    });
  }

  /** Makes a call that must succeed. @throws Error for a status other than 2xx */
  async sure(method, target, body, headers) {
    const { status, text } = await this.send(method, target, body, headers);
    if (status < 200 || status > 299) throw new Error(`${method} ${target}: ${status} ${text}`);
    return { body: text && typeof body !== 'string' ? JSON.parse(text) : undefined };
  }

  /** Returns true if a call may be repeated without a second effect. */
  isRepeatable({ call: [method, , , headers = {}], lines, isRepeatable = false }) {
    return isRepeatable || lines !== undefined || method === 'GET' || 'Idempotency-Key' in headers;
  }

  close() {
    this.other?.close();
    this.#wire.close();
  }
}

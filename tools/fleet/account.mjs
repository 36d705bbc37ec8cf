// An account that changes its passes at random. It repeats calls whose node dies.
import { randomUUID } from 'node:crypto';

const templateTypes = ['offer', 'event', 'generic', 'membership'];
const pick = (list) => list[Math.floor(Math.random() * list.length)];

export class FleetAccount {
  constructor(baseUrl, publicUrl) {
    this.baseUrl = baseUrl;
    this.publicUrl = publicUrl;
    this.changes = {};
    this.passes = [];
  }

  async open() {
    const person = {
      email: `${randomUUID()}@example.com`,
      password: randomUUID(),
      name: 'Fleet',
      accountName: 'Fleet',
    };
    const { accessToken } = await this.call('POST', '/v1/auth/register', person);
    this.token = accessToken;
    this.token = (await this.call('POST', '/v1/auth/keys', { name: 'fleet' })).key;
    for (const type of templateTypes) await this.saveTemplate(type, 0);
  }

  /** Issues a pass. @returns the address of its package */
  async issue() {
    const type = pick(templateTypes);
    const { pass, walletAUrl } = await this.call('POST', `/v1/pass/${type}`, this.content(type));
    const issued = { type, id: pass.id, path: new URL(walletAUrl).pathname, deleted: false };
    this.passes.push(issued);
    return issued;
  }

  /** Makes one random change. It soon unarchives an archived template, so that enough passes can be changed. */
  async change() {
    const pass = pick(this.passes.filter(({ deleted }) => !deleted));
    const path = `/v1/pass/${pass.type}/${pass.id}`;
    const kind = pick([
      ...Array(30).fill('patch'),
      ...Array(4).fill('metadata'),
      'void',
      'unvoid',
      'delete',
      'template',
      'archive',
    ]);
    this.changes[kind] = (this.changes[kind] ?? 0) + 1;
    // A parallel call may have deleted the pass meanwhile.
    const isGone = (status) => status === 404 && pass.deleted;
    if (kind === 'patch') await this.call('PATCH', path, this.content(pass.type), isGone);
    if (kind === 'metadata') await this.call('PATCH', `${path}/metadata`, { metadata: { n: Math.random() } }, isGone);
    if (kind === 'void') await this.call('POST', `${path}/void`, undefined, isGone);
    // The service rejects this call with 409 while the template of the pass is archived.
    const isRejected = (status) => status === 409 || isGone(status);
    if (kind === 'unvoid') await this.call('POST', `${path}/unvoid`, undefined, isRejected);
    if (kind === 'template') await this.saveTemplate(pass.type, Math.random());
    if (kind === 'archive') {
      await this.call('POST', `/v1/templates/${pass.type}/archive`);
      await this.call('POST', `/v1/templates/${pass.type}/unarchive`);
    }
    if (kind === 'delete') {
      pass.deleted = true;
      // A repeated DELETE gets 404, because the first attempt has deleted the pass.
      await this.call('DELETE', path, undefined, isGone);
    }
  }

  content(type) {
    const fields = [{ key: 'points', label: 'Points', value: String(Math.floor(Math.random() * 1e6)) }];
    return { fields, ...((type === 'generic' || type === 'membership') && { primaryValue: 'Ada' }) };
  }

  saveTemplate(type, n) {
    const image = (name) => `${this.publicUrl}/images/samples/${name}.png`;
    const look = { foregroundColor: '#ffffff', backgroundColor: '#1f2a44', title: `Fleet ${n}`, issuerName: 'Fleet' };
    const images = { icon: image('icon'), logo: image('logo'), banner: image('banner') };
    const own = {
      offer: {},
      event: { startDate: '2027-06-01T18:00:00.000Z' },
      generic: { primaryLabel: 'Holder', thumbnail: image('thumbnail') },
      membership: { primaryLabel: 'Member' },
    }[type];
    // The service rejects this call if a parallel call has archived the template.
    return this.call('POST', `/v1/templates/${type}`, { type, ...look, ...images, ...own }, (status) => status === 409);
  }

  /**
   * Repeats a call with the same idempotency key until a node has responded.
   * @param isAllowed returns true for an acceptable status besides 2xx
   */
  async call(method, path, body, isAllowed = (_status) => false) {
    const headers = {
      'Idempotency-Key': randomUUID(),
      ...(body && { 'Content-Type': 'application/json' }),
      ...(this.token && { Authorization: `Bearer ${this.token}` }),
    };
    for (;;) {
      const sent = { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(20_000) };
      const response = await fetch(`${this.baseUrl}${path}`, sent).catch(() => null);
      const text = await response?.text().catch(() => null);
      if (response && text !== null && response.status < 500) {
        if (response.ok || isAllowed(response.status)) return text ? JSON.parse(text) : null;
        throw new Error(`${method} ${path}: ${response.status} ${text}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

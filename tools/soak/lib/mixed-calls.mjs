// Makes calls of every kind that the clients of an account make, in realistic proportions.
import { randomUUID } from 'node:crypto';

const pick = (list) => list[Math.floor(Math.random() * list.length)];
const field = () => ({ fields: [{ key: 'points', label: 'Points', value: String(Math.floor(Math.random() * 1e6)) }] });
const person = (more) => ({ email: `${randomUUID()}@example.com`, name: 'Ada', status: 'active', ...more });
const soon = () => new Date(Date.now() + 30_000 + Math.random() * 600_000).toISOString();

/** The number of calls of each kind among about a hundred calls. */
const shares = {
  createPass: 16,
  changePass: 14,
  readPass: 10,
  downloadPackage: 8,
  openPage: 6,
  listPasses: 5,
  readTemplate: 5,
  createMember: 5,
  changeMember: 4,
  listMembers: 4,
  listTemplates: 3,
  saveTemplate: 1,
  previewTemplate: 1,
  createBatch: 1,
  upsertPass: 4,
  createExpiring: 2,
  voidPass: 2,
  redeemPass: 2,
  deletePass: 2,
  listEvents: 2,
  listDeliveries: 2,
  readUsage: 2,
  sendPass: 1,
  logInWrongly: 1,
};

/** A client of an account. `counts` contains the number of responses by kind of call and status. */
export class MixedCalls {
  counts = {};
  /** @type {string | undefined} The id of the webhook whose deliveries the calls read. */
  webhookId;
  /** The newest hundred passes. Other calls use them. */
  #passes = [];
  #members = [];
  #kinds = Object.entries(shares).flatMap(([kind, share]) => Array(share).fill(kind));

  constructor(ledger) {
    this.ledger = ledger;
  }

  async open() {
    const { ledger } = this;
    await ledger.openClub([{ key: 'week', daysBefore: 7 }]);
    for (let at = 0; at < 10; at += 1) await Promise.all([this.upsertPass(), this.createMember()]);
  }

  /** Makes one call of a random kind. @throws for any status other than 2xx */
  async next() {
    const kind = pick(this.#kinds);
    let status = 200;
    try {
      await this[kind]();
    } catch (error) {
      status = error.status ?? 0;
      throw error;
    } finally {
      const statuses = (this.counts[kind] ??= {});
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  }

  createPass() {
    return this.ledger.tryToCreate();
  }

  async upsertPass() {
    const { body } = await this.ledger.once('POST', `/v1/pass/soak/x-${randomUUID()}`, field());
    this.#passes.push(body);
    if (this.#passes.length > 100) this.#passes.shift();
  }

  createExpiring() {
    return this.ledger.once('POST', `/v1/pass/soak/e-${randomUUID()}`, { expiry: soon() });
  }

  createBatch() {
    const lines = Array.from({ length: 20 }, () => JSON.stringify({ id: `b-${randomUUID()}`, ...field() }));
    return this.ledger.once('POST', '/v1/pass/soak/batch', `${lines.join('\n')}\n`);
  }

  changePass() {
    return this.ledger.once('PATCH', this.#path(), field());
  }

  readPass() {
    return this.ledger.once('GET', this.#path());
  }

  voidPass() {
    return this.ledger.once('POST', `${this.#path()}/void`);
  }

  redeemPass() {
    return this.ledger.once('POST', `${this.#path()}/redeem`);
  }

  deletePass() {
    const { pass } = this.#passes.length > 20 ? this.#passes.shift() : pick(this.#passes);
    return this.ledger.once('DELETE', `/v1/pass/soak/${pass.id}`);
  }

  sendPass() {
    return this.ledger.once('POST', `${this.#path()}/send`, { to: `${randomUUID()}@example.com` });
  }

  downloadPackage() {
    return this.ledger.once('GET', new URL(pick(this.#passes).walletAUrl).pathname);
  }

  openPage() {
    return this.ledger.once('GET', new URL(pick(this.#passes).webUrl).pathname);
  }

  listPasses() {
    return this.ledger.once('GET', '/v1/pass/soak?limit=50');
  }

  listTemplates() {
    return this.ledger.once('GET', '/v1/templates');
  }

  readTemplate() {
    return this.ledger.once('GET', '/v1/templates/soak');
  }

  saveTemplate() {
    const title = `Soak ${Math.floor(Math.random() * 1e6)}`;
    return this.ledger.saveTemplate(`other-${Math.floor(Math.random() * 20)}`, { title });
  }

  previewTemplate() {
    return this.ledger.once('GET', '/v1/templates/soak/preview?format=html');
  }

  async createMember() {
    const { body } = await this.ledger.once('POST', '/v1/memberships/members', person({ expiry: soon() }));
    this.#members.push(body.id);
    if (this.#members.length > 100) this.#members.shift();
  }

  changeMember() {
    return this.ledger.once('PATCH', `/v1/memberships/members/${pick(this.#members)}`, { name: `Ada ${randomUUID()}` });
  }

  listMembers() {
    return this.ledger.once('GET', '/v1/memberships/members?limit=50');
  }

  listEvents() {
    return this.ledger.once('GET', '/v1/account/events?limit=50');
  }

  listDeliveries() {
    return this.ledger.once('GET', `/v1/webhooks/${this.webhookId}/deliveries?limit=50`);
  }

  readUsage() {
    return this.ledger.once('GET', '/v1/account/usage');
  }

  logInWrongly() {
    return this.ledger.once('POST', '/v1/auth/login', { email: `${randomUUID()}@example.com`, password: 'wrong-one' });
  }

  #path() {
    return `/v1/pass/soak/${pick(this.#passes).pass.id}`;
  }
}

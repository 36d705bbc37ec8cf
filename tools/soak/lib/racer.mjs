// An account that sends its calls to two nodes in turn.
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { scopes } from './access-rules.mjs';
import { codeInOutbox } from './outbox.mjs';
import { operate } from './operator.mjs';
import { templateOf } from './race-kinds.mjs';
import { jsonRequest } from './wire.mjs';

const REPEAT_MS = 200;
const LONGEST_MS = 60_000;
const anAddress = () => `198.18.${randomInt(256)}.${randomInt(256)}`;

export class Racer {
  #spares = new Map();
  /** @type {string | undefined} */
  token;
  /** @type {string | undefined} */
  uid;

  constructor(stage) {
    Object.assign(this, stage);
    this.stage = stage;
  }

  async open() {
    this.email = `${randomUUID()}@example.com`;
    this.password = randomUUID();
    const person = { email: this.email, password: this.password, name: 'Race', accountName: 'Race' };
    const { body } = await this.call('POST', '/v1/auth/register', person);
    Object.assign(this, { token: body.accessToken, accountId: body.accountId });
    this.key = (await this.call('POST', '/v1/auth/keys', { name: 'race', scopes })).body.key;
    return this;
  }

  get template() {
    return templateOf(this.stage.nodes[0].url);
  }

  newAccount() {
    return new Racer(this.stage).open();
  }

  /** Adds a user to this account through an invitation. */
  async invited(isAdmin) {
    const user = await this.newAccount();
    await this.call('POST', '/v1/account/invite', { email: user.email, isAdmin });
    const code = await this.mailedCode('invites', user.email);
    const { body } = await user.call('POST', `/v1/account/invites/${code}/accept`);
    user.token = body.accessToken;
    user.uid = (await user.call('GET', '/v1/auth/me')).body.uid;
    return user;
  }

  /** Returns the resource that all rounds of a kind share. An account may have only a few such resources. */
  async spare(kind, make) {
    if (!this.#spares.has(kind)) this.#spares.set(kind, await make(this));
    return this.#spares.get(kind);
  }

  login() {
    return this.call('POST', '/v1/auth/login', { email: this.email, password: this.password });
  }

  saveTemplate(id, changes = {}) {
    return this.call('POST', `/v1/templates/${id}`, { ...this.template, ...changes });
  }

  mailedCode(page, to) {
    return codeInOutbox(
      this.stage.nodes.map(({ environment }) => environment.DATA_DIR),
      page,
      to,
    );
  }

  sql(text) {
    return this.stage.engine.sql(text);
  }

  operator(...words) {
    return operate(this.stage.nodes[0].environment, ...words);
  }

  /**
   * Sends a call to one of the two nodes. While a standby takes over, repeats the call after a 503, with the same
   * Idempotency-Key.
   * @param {number} n
   * @param {string} method
   * @param {string} target
   * @param {{ body?: unknown, headers?: Record<string, string>, isAnonymous?: boolean }} [options]
   */
  async send(n, method, target, { body, headers, isAnonymous = false } = {}) {
    const { nodes, wire } = this.stage;
    const content = jsonRequest(body);
    const token = target.startsWith('/v1/memberships') ? this.key : this.token;
    const own = { 'X-Forwarded-For': anAddress(), ...(token && !isAnonymous && { Authorization: `Bearer ${token}` }) };
    const key = this.stage.isRepeating && { 'Idempotency-Key': randomUUID() };
    const sent = { ...content.headers, ...own, ...key, ...headers };
    const request = { method, target, body: content.body, headers: sent };
    for (const startedAt = performance.now(); ; this.stage.repeated += 1) {
      const response = await wire.send(nodes[n % nodes.length].url, request);
      const isRepeated = this.stage.isRepeating && response.status === 503 && response.headers['retry-after'];
      if (!isRepeated || performance.now() - startedAt > LONGEST_MS) return response;
      await pause(REPEAT_MS);
    }
  }

  /** Makes a call that must succeed. @throws Error for a status other than 2xx */
  async call(method, target, body) {
    for (let n = 0; ; n += 1) {
      const response = await this.send(n, method, target, { body });
      if (response.status === 503 && n < 50) continue;
      const { status, headers, text } = response;
      if (status < 200 || status > 299) throw new Error(`${method} ${target}: ${status} ${text}`);
      return { headers, body: text ? JSON.parse(text) : undefined };
    }
  }
}

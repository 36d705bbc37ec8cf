// A client that records all writes that the service has acknowledged, so that lost and duplicated writes can be found.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** The time for which a client waits for a response, in ms. */
const TIMEOUT_MS = 30_000;
/** The scopes of the API key. */
const scopes = ['templates', 'passes', 'members', 'account'].flatMap((noun) => [`${noun}:read`, `${noun}:write`]);
const template = {
  type: 'offer',
  title: 'Soak',
  issuerName: 'Soak',
  foregroundColor: '#ffffff',
  backgroundColor: '#1f2a44',
};

/** The reason that is recorded for a call while it has no response. */
export const WAITING = 'no response yet';

/** An account that creates passes with idempotency keys and counts them. */
export class Ledger {
  /**
   * @param {string[]} urls the addresses of the nodes; each call goes to the next node
   * @param {string} publicUrl BASE_URL of the nodes
   */
  constructor(urls, publicUrl = urls[0]) {
    this.urls = urls;
    this.publicUrl = publicUrl;
    this.calls = 0;
    /**
     * The marks of the acknowledged creations. Each pass contains its mark in its metadata. With an idempotency key, the
     * mark is the key.
     */
    this.acknowledged = new Set();
    /**
     * All responses: time, duration, status, and whether there was Retry-After. Without a response, the status is 0 and
     * there is a reason.
     */
    this.responses = [];
    /** The calls that have no response yet. */
    this.inHand = new Set();
  }

  async open() {
    const email = `${randomUUID()}@example.com`;
    const person = { email, password: randomUUID(), name: 'Soak', accountName: 'Soak' };
    this.token = (await this.once('POST', '/v1/auth/register', person)).body.accessToken;
    this.token = (await this.once('POST', '/v1/auth/keys', { name: 'soak', scopes })).body.key;
    await this.saveTemplate('soak');
  }

  saveTemplate(id, changes = {}) {
    const sample = (name) => `${this.publicUrl}/images/samples/${name}.png`;
    const images = { icon: sample('icon'), logo: sample('logo'), banner: sample('banner') };
    return this.once('POST', `/v1/templates/${id}`, { ...template, ...images, ...changes });
  }

  /** Saves the settings of memberships, and a template for members. */
  async openClub(reminders = []) {
    await this.saveTemplate('club', { type: 'membership', primaryLabel: 'Member' });
    await this.once('PUT', '/v1/memberships/settings', { templateId: 'club', reminders, timeZone: 'UTC' });
  }

  /**
   * Makes one call. A text as the body is sent as NDJSON.
   * @throws for any status other than 2xx, and if there is no response
   */
  async once(method, path, body, key) {
    const startedAt = performance.now();
    const call = { startedAt };
    this.inHand.add(call);
    const base = this.urls[this.calls++ % this.urls.length];
    const note = (status, response, reason) => {
      const retryAfter = response?.headers.has('retry-after') ?? false;
      this.responses.push({ startedAt, endedAt: performance.now(), status, retryAfter, reason });
    };
    const headers = {
      ...(body && { 'Content-Type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json' }),
      ...(this.token && { Authorization: `Bearer ${this.token}` }),
      ...(key && { 'Idempotency-Key': key }),
    };
    const sent = typeof body === 'object' ? JSON.stringify(body) : body;
    const request = { method, headers, body: sent, signal: AbortSignal.timeout(TIMEOUT_MS) };
    try {
      const response = await fetch(`${base}${path}`, request);
      const text = await response.text();
      note(response.status, response);
      const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
      if (response.ok) return { status: response.status, body: isJson ? JSON.parse(text) : text };
      throw Object.assign(new Error(`${method} ${path}: ${response.status} ${text}`), { status: response.status });
    } catch (error) {
      if (error.status === undefined) note(0, undefined, error.cause?.code ?? error.name);
      throw error;
    } finally {
      this.inHand.delete(call);
    }
  }

  /**
   * Creates a pass. @returns the body of the response. @throws for any status other than 2xx, and if there is no
   * response
   */
  async tryToCreate(key = randomUUID()) {
    const { body } = await this.once('POST', '/v1/pass/soak', { fields: [], metadata: { soak: key } }, key);
    this.acknowledged.add(key);
    return body;
  }

  /**
   * Creates a pass. Repeats the request with the same idempotency key until a node has responded or `signal` aborts.
   */
  async create(signal) {
    const key = randomUUID();
    while (!signal?.aborted) {
      try {
        return await this.tryToCreate(key);
      } catch (error) {
        // The service has rejected the request, so do not repeat it.
        if (error.status >= 400 && error.status < 500 && error.status !== 429) throw error;
        await pause(100);
      }
    }
  }

  /**
   * Creates a pass without an idempotency key, which the service does in a single round trip to the database. Never
   * repeats the request, because the pass may exist without a response.
   */
  async createWithoutKey() {
    const mark = randomUUID();
    try {
      await this.once('POST', '/v1/pass/soak', { fields: [], metadata: { soak: mark } });
      this.acknowledged.add(mark);
    } catch (error) {
      if (error.status >= 400 && error.status < 500 && error.status !== 429) throw error;
      await pause(100);
    }
  }

  /**
   * Creates passes with `clients` parallel clients until `stop` is called. Each client makes at most `perSecond` calls
   * per second, alternately with and without an idempotency key.
   */
  start(clients = 8, perSecond = 5) {
    this.stopping = new AbortController();
    this.work = Promise.all(
      Array.from({ length: clients }, async () => {
        for (let turn = 0; !this.stopping.signal.aborted; turn += 1) {
          const next = pause(1000 / perSecond);
          if (turn % 2 === 0) await this.create(AbortSignal.any([this.stopping.signal]));
          else await this.createWithoutKey();
          await next;
        }
      }),
    );
    this.work.catch(() => undefined);
  }

  async stop() {
    this.stopping.abort();
    await this.work;
  }

  /** Returns the responses to requests that began at or after `time`. */
  since(time) {
    return this.responses.filter(({ startedAt }) => startedAt >= time);
  }

  /**
   * Returns the calls that were in progress at `time` or began later. A call without a response has status 0, and
   * counts as if it ended now.
   */
  inHandSince(time) {
    const now = performance.now();
    const waiting = [...this.inHand].map(({ startedAt }) => {
      return { startedAt, endedAt: now, status: 0, retryAfter: false, reason: WAITING };
    });
    return [...this.responses.filter(({ endedAt }) => endedAt >= time), ...waiting];
  }

  /**
   * Compares the recorded writes with the database.
   * @param sql runs one statement and returns its result as text
   */
  verify(sql) {
    const stored = sql(`SELECT metadata->>'soak' FROM pass WHERE metadata ? 'soak'`).split('\n').filter(Boolean);
    const count = Number(sql('SELECT coalesce(sum(created), 0) FROM pass_creation'));
    const total = Number(sql('SELECT (SELECT count(*) FROM pass) + (SELECT count(*) FROM deleted_pass)'));
    const there = new Set(stored);
    const lost = [...this.acknowledged].filter((key) => !there.has(key)).length;
    return {
      acknowledged: this.acknowledged.size,
      stored: stored.length,
      lost,
      doubled: stored.length - there.size,
      counted: count,
      // The number of all passes, including those that this client did not create.
      total,
    };
  }
}

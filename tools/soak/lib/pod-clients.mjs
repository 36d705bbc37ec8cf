// Clients that keep their connections open while the pods behind a proxy are replaced.
import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** The number of lines in a slow batch. */
const SLOW_LINES = 8;
const LINE_MS = 400;

export class PodClients {
  /** The number of responses by kind of client, and by status or error code. */
  counts = {};
  #isOver = false;
  #agents = [];

  /** @param {string[]} urls the addresses of the proxies; all kinds of clients use each proxy */
  constructor(urls, ledger) {
    this.urls = urls;
    this.ledger = ledger;
  }

  async start() {
    const { walletAUrl } = await this.ledger.tryToCreate();
    this.download = new URL(walletAUrl).pathname;
    this.work = Promise.all(this.urls.flatMap((url, at) => this.#lanes(url, at)));
  }

  async stop() {
    this.#isOver = true;
    await this.work;
    for (const agent of this.#agents) agent.destroy();
  }

  /** Prints the counts, and fails the test if one of them is a failure. */
  report(stage) {
    console.log('responses:', JSON.stringify(this.counts));
    for (const [kind, outcomes] of Object.entries(this.counts)) {
      stage.check(outcomes[200] > 0 || outcomes[201] > 0, `no request of the kind "${kind}" succeeded`);
      for (const [outcome, count] of Object.entries(outcomes)) {
        stage.check(/^[23]/.test(outcome), `${count} requests of the kind "${kind}" ended with ${outcome}`);
      }
    }
  }

  #lanes(url, at) {
    const via = at === 0 ? 'by connection' : 'by request';
    const read = (agent) => this.#send(url, agent, { path: this.download });
    return [
      this.#repeat({ kind: `reads, busy, ${via}`, clients: 3, atMostMs: 40 }, read),
      this.#repeat({ kind: `reads, idle at times, ${via}`, clients: 4, atMostMs: 2500 }, read),
      this.#repeat({ kind: `reads by new connections, ${via}`, clients: 1, atMostMs: 80 }, () => read(new Agent())),
      this.#repeat({ kind: `writes, ${via}`, clients: 2, atMostMs: 80 }, (agent) => this.#create(url, agent)),
      this.#repeat({ kind: `slow batches, ${via}`, clients: 1, atMostMs: 80 }, (agent) => this.#slowBatch(url, agent)),
    ];
  }

  /** Runs clients that each have one connection. Each client sends one request after the other, with pauses. */
  #repeat({ kind, clients, atMostMs }, send) {
    const outcomes = (this.counts[kind] ??= {});
    const lane = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      this.#agents.push(agent);
      while (!this.#isOver) {
        const outcome = await send(agent);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        await pause(Math.random() * atMostMs);
      }
    };
    return Promise.all(Array.from({ length: clients }, lane));
  }

  async #create(url, agent) {
    const key = randomUUID();
    const body = JSON.stringify({ fields: [], metadata: { soak: key } });
    const outcome = await this.#send(url, agent, {
      method: 'POST',
      path: '/v1/pass/soak',
      type: 'application/json',
      body,
    });
    if (outcome === 201) this.ledger.acknowledged.add(key);
    return outcome;
  }

  /** Sends a batch slowly, line by line. */
  #slowBatch(url, agent) {
    const keys = Array.from({ length: SLOW_LINES }, () => randomUUID());
    async function* lines() {
      for (const key of keys) {
        yield `${JSON.stringify({ fields: [], metadata: { soak: key } })}\n`;
        await pause(LINE_MS);
      }
    }
    const request = { method: 'POST', path: '/v1/pass/soak/batch', type: 'application/x-ndjson', body: lines() };
    return this.#send(url, agent, request, (text) => {
      const made = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      if (!made.every(({ id }) => id)) return `a line that failed: ${text}`;
      for (const key of keys.slice(0, made.length)) this.ledger.acknowledged.add(key);
      // A batch may last for any length of time, so a node that stops ends it after a whole line.
      return made.length === SLOW_LINES ? 200 : '200, with fewer lines';
    });
  }

  /**
   * Sends a request once.
   * @returns the status, or the code of the error
   * @param {{ method?: string, path: string, type?: string, body?: string | AsyncIterable<string> }} sent
   * @param {(text: string) => string | number} [outcomeOf] called with the body of a successful response; returns the
   * status to count
   */
  #send(url, agent, sent, outcomeOf) {
    const { method = 'GET', path, type, body } = sent;
    const { hostname, port } = new URL(url);
    const headers = { Authorization: `Bearer ${this.ledger.token}`, ...(type && { 'Content-Type': type }) };
    return new Promise((resolve) => {
      const ended = (error) => resolve(error.code ?? error.message);
      const request = httpRequest({ hostname, port, method, path, headers, agent }, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part)).on('error', ended);
        response.on('end', () => {
          const isJudged = outcomeOf && response.statusCode < 300;
          resolve(isJudged ? outcomeOf(Buffer.concat(parts).toString()) : response.statusCode);
        });
      }).on('error', ended);
      if (typeof body === 'string' || !body) request.end(body);
      else void sendParts(request, body);
    });
  }
}

async function sendParts(request, parts) {
  for await (const part of parts) request.write(part);
  request.end();
}

// A client that sends batches of passes during faults, and judges each line of the responses.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const LINES = 200;
const TIMEOUT_MS = 120_000;

/** Sends one batch after the other. Counts the lines of the responses by status. */
export class Batches {
  /** The number of lines by status; 0 counts lines without a response. */
  counts = {};
  problems = new Set();
  #turn = 0;

  /** @param ledger gets the marks of the passes that were acknowledged */
  constructor(ledger) {
    this.ledger = ledger;
  }

  start() {
    this.stopping = new AbortController();
    this.work = this.#run();
  }

  async stop() {
    this.stopping.abort();
    await this.work;
  }

  async #run() {
    while (!this.stopping.signal.aborted) {
      await this.#send();
      await pause(100);
    }
  }

  async #send() {
    const marks = Array.from({ length: LINES }, () => randomUUID());
    const lines = marks.map((mark) => JSON.stringify({ fields: [], metadata: { soak: mark } }));
    const { urls, token } = this.ledger;
    let text = '';
    try {
      const response = await fetch(`${urls[this.#turn++ % urls.length]}/v1/pass/soak/batch`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-ndjson', Authorization: `Bearer ${token}` },
        body: `${lines.join('\n')}\n`,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (response.status !== 200) return this.#reject(response);
      const decoder = new TextDecoder();
      for await (const part of response.body) text += decoder.decode(part, { stream: true });
    } catch (error) {
      this.problems.add(`a batch ended with ${error.cause?.code ?? error.name}`);
    }
    this.#judge(text, marks);
  }

  #reject(response) {
    this.#count(response.status, LINES);
    const isRight = response.status < 500 || (response.status === 503 && response.headers.has('retry-after'));
    if (!isRight) this.problems.add(`a batch got ${response.status}`);
    return response.body?.cancel();
  }

  #judge(text, marks) {
    const whole = text.split('\n');
    if (whole.pop() !== '') this.problems.add('a response ended within a line');
    if (whole.length < marks.length) this.#count(0, marks.length - whole.length);
    for (const [at, line] of whole.entries()) {
      const { index, id, statusCode = 201, message } = JSON.parse(line);
      if (index !== at) this.problems.add(`line ${at} has the index ${index}`);
      if (id) this.ledger.acknowledged.add(marks[at]);
      else if (statusCode !== 503 && statusCode !== 429) this.problems.add(`a line got ${statusCode}: ${message}`);
      this.#count(statusCode, 1);
    }
  }

  #count(status, lines) {
    this.counts[status] = (this.counts[status] ?? 0) + lines;
  }
}

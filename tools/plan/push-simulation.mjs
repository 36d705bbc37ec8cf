/**
 * Simulates the push queue of one group of accounts as a series of events. It follows the rules of the service: jobs
 * with the account as key, a maximum number of accounts per process, time slices, growing claims, retries, and a check
 * once a minute. A claim of many devices is one event, so simulating fifty million phones takes about a second.
 */
import { EventHeap } from './event-heap.mjs';

/** A schedule looks for accounts with due devices once a minute. */
const CHECK_SECONDS = 60;
const MOST_SECONDS = 30 * 86_400;

export class PushSimulation {
  now = 0;
  /** The numbers of waiting devices and pages of devices, their bytes, and the highest values so far. */
  waiting = { devices: 0, pages: 0, bytes: 0, mostPages: 0, mostBytes: 0 };
  /** The longest and the total wait of changes by kind, and the time of the last push. */
  results = {};
  #events = new EventHeap();
  #accounts = new Map();
  #due = new Set();
  #jobs = [];
  #nextJob = 0;
  #keys = new Set();
  #open = 0;

  /**
   * @param rules `apple` of parameters.json, and `pushMs`: the service's CPU for one push
   * @param onPushed called with the number of devices that got a push
   */
  constructor({ rules, processes, random, outage = null, onPushed = (_devices) => undefined }) {
    this.rules = rules;
    this.random = random;
    this.outage = outage;
    this.onPushed = onPushed;
    this.processes = Array.from({ length: processes }, () => ({
      free: rules.slots,
      serving: new Map(),
      isAlive: true,
      failures: 0,
      backoffUntil: 0,
    }));
    this.#check();
  }

  at(seconds, run) {
    this.#events.add(seconds, run);
  }

  /** Runs until no change waits, but at least until the time `until`. */
  run(until) {
    for (;;) {
      if (this.#open === 0 && this.now >= until) return;
      const event = this.#events.next();
      this.now = event.at;
      if (this.now > MOST_SECONDS) throw new Error(`${this.#open} devices still wait after 30 days.`);
      event.run();
    }
  }

  /** Changes passes of an account on a number of devices. Marks the devices page by page, like the service. */
  change(accountId, devices, kind) {
    const { markPage, markPerSecond } = this.rules;
    const change = { at: this.now, kind };
    this.#open += devices;
    const mark = (left) => {
      const marked = Math.min(left, markPage);
      this.#makeDue(this.#account(accountId), { change, devices: marked, failures: 0 });
      this.#addJob(accountId);
      if (left > marked) this.at(this.now + marked / markPerSecond, () => mark(left - marked));
    };
    mark(devices);
  }

  /** Kills a process, and starts it again later. */
  kill(index, seconds) {
    const process = this.processes[index];
    const { recoverySeconds, slots } = this.rules;
    process.isAlive = false;
    for (const [id, turn] of process.serving) {
      turn.isOver = true;
      const lost = turn.claimed;
      this.at(this.now + recoverySeconds, () => {
        for (const batch of lost) this.#makeDue(this.#account(id), batch);
        this.#addJob(id);
      });
    }
    process.serving.clear();
    this.at(this.now + seconds, () => {
      Object.assign(process, { isAlive: true, free: slots });
      this.#dispatch();
    });
  }

  #account(id) {
    let account = this.#accounts.get(id);
    if (!account) this.#accounts.set(id, (account = { id, due: [], later: [] }));
    return account;
  }

  #makeDue(account, batch) {
    account.due.push(batch);
    this.#due.add(account.id);
    this.#count(batch.devices, 1, batch.change);
  }

  /**
   * Adds or subtracts waiting devices and pages. After a change of a single pass, each device has a page of its own.
   */
  #count(devices, sign, { kind }) {
    const { pageSize, pageBytes, deviceBytes } = this.rules;
    const pages = devices / (kind === 'single' ? 1 : pageSize);
    const { waiting } = this;
    waiting.devices += sign * devices;
    waiting.pages += sign * pages;
    waiting.bytes += sign * (pages * pageBytes + devices * deviceBytes);
    waiting.mostPages = Math.max(waiting.mostPages, waiting.pages);
    waiting.mostBytes = Math.max(waiting.mostBytes, waiting.bytes);
  }

  #addJob(id) {
    if (this.#keys.has(id)) return;
    this.#keys.add(id);
    this.#jobs.push(id);
    this.#dispatch();
  }

  #check() {
    for (const id of this.#due) this.#addJob(id);
    this.at(this.now + CHECK_SECONDS, () => this.#check());
  }

  #dispatch() {
    while (this.#nextJob < this.#jobs.length) {
      const free = this.processes.filter((process) => process.isAlive && process.free > 0);
      if (free.length === 0) return;
      const process = free[Math.floor(this.random() * free.length)];
      const id = this.#jobs[this.#nextJob++];
      this.#keys.delete(id);
      // If the process already serves the account, the job only makes it look for further changes.
      if (!process.serving.has(id)) this.#begin(process, this.#account(id));
    }
  }

  #begin(process, account) {
    const { sliceSeconds, turnSeconds, pageSize } = this.rules;
    const turn = { endsAt: this.now + sliceSeconds, size: pageSize, claimed: [], isOver: false };
    process.free -= 1;
    process.serving.set(account.id, turn);
    this.at(this.now + turnSeconds, () => this.#claim(process, account, turn));
  }

  #claim(process, account, turn) {
    if (turn.isOver) return;
    if (this.now >= turn.endsAt || account.due.length === 0) return this.#end(process, account, turn, 0);
    turn.claimed = this.#take(account, turn.size);
    const devices = turn.claimed.reduce((all, batch) => all + batch.devices, 0);
    const { streams, latencySeconds, pushMs, pageSize, largestClaim, claimSeconds, failSeconds } = this.rules;
    // During its backoff, the push client of a process rejects pushes immediately.
    if (this.now < process.backoffUntil) return this.#failed(process, account, turn);
    if (this.#isOut()) {
      this.at(this.now + failSeconds, () => this.#failed(process, account, turn));
      return;
    }
    process.failures = 0;
    const perSecond = Math.min(streams / latencySeconds, 1000 / (pushMs * process.serving.size));
    const seconds = Math.max(latencySeconds, devices / perSecond);
    turn.size = Math.max(pageSize, Math.min(largestClaim, Math.round((devices / seconds) * claimSeconds)));
    this.at(this.now + seconds, () => this.#pushed(process, account, turn, devices));
  }

  #isOut() {
    return this.outage !== null && this.now >= this.outage.from && this.now < this.outage.to;
  }

  #take(account, most) {
    const taken = [];
    let left = most;
    while (left > 0 && account.due.length > 0) {
      const [first] = account.due;
      const devices = Math.min(first.devices, left);
      taken.push({ ...first, devices });
      this.#count(devices, -1, first.change);
      if (devices === first.devices) account.due.shift();
      else first.devices -= devices;
      left -= devices;
    }
    if (account.due.length === 0) this.#due.delete(account.id);
    return taken;
  }

  #pushed(process, account, turn, devices) {
    if (turn.isOver) return;
    for (const { change, devices: pushed } of turn.claimed) {
      const result = (this.results[change.kind] ??= { devices: 0, longest: 0, total: 0, last: 0 });
      result.devices += pushed;
      result.longest = Math.max(result.longest, this.now - change.at);
      result.total += pushed * (this.now - change.at);
      result.last = this.now;
    }
    this.#open -= devices;
    this.onPushed(devices);
    turn.claimed = [];
    this.#claim(process, account, turn);
  }

  #failed(process, account, turn) {
    if (turn.isOver) return;
    const { firstRetry, longestRetry, silentFailures, longestBackoff } = this.rules;
    const random = 0.5 + this.random() / 2;
    if (this.now >= process.backoffUntil) {
      process.backoffUntil = this.now + Math.min(longestBackoff, 2 ** process.failures) * random;
      process.failures += 1;
    }
    const retryAfter = Math.max(2, process.backoffUntil - this.now);
    for (const batch of turn.claimed) {
      const failures = Math.min(batch.failures + 1, silentFailures);
      const at = this.now + Math.max(retryAfter, Math.min(longestRetry, firstRetry * 2 ** (failures - 1)) * random);
      account.later.push(at);
      this.#count(batch.devices, 1, batch.change);
      this.at(at, () => {
        account.later.splice(account.later.indexOf(at), 1);
        this.#count(batch.devices, -1, batch.change);
        this.#makeDue(account, { ...batch, failures });
      });
    }
    turn.claimed = [];
    this.#end(process, account, turn, retryAfter);
  }

  /** Ends the turn of an account. If more of its devices are due within a minute, adds another job for them. */
  #end(process, account, turn, pause) {
    turn.isOver = true;
    process.free += 1;
    process.serving.delete(account.id);
    const next = account.due.length > 0 ? this.now : Math.min(...account.later);
    const at = Math.max(next, this.now + pause);
    if (at <= this.now) this.#addJob(account.id);
    else if (next <= this.now + CHECK_SECONDS) this.at(at, () => this.#addJob(account.id));
    this.#dispatch();
  }
}

// Random actions of an account's back office, which sends messages and changes passes, and random errors of Google.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

export const QUIET = { timeZone: 'Europe/Berlin', quietHours: { from: '21:30', until: '07:15' } };
export const LANGUAGES = ['de', 'ja'];
const HOUR_MS = 3_600_000;
/** The longest time in hours from the creation of a message until it is due. */
export const LATEST_HOURS = 60;
/** The time limit for a call, including its repetitions. It is longer than the start of a node. */
const ACCEPTED_SECONDS = 60;

const random = (below) => Math.floor(Math.random() * below);
export const pick = (list) => list[random(list.length)];

export class MessagePlan {
  /** The messages that a node has accepted. Each has its id, its text, its urgency, and the number of passes. */
  known = [];
  /** The ids of the messages that were paused at least once. */
  paused = new Set();
  /** The last value that was written to each pass. */
  values = new Map();
  #ledger;
  #time;
  #passIds;
  #count = 0;

  constructor(ledger, time, passIds) {
    this.#ledger = ledger;
    this.#time = time;
    this.#passIds = passIds;
  }

  /** Does one random thing: sends a message, changes a pass, or pauses, resumes or cancels a message. */
  async happen() {
    const [kind] = [pick(['all', 'all', 'one', 'one', 'one', 'change', 'change', 'urgent', 'interfere'])];
    if (kind === 'change') return this.change(pick(this.#passIds));
    if (kind === 'interfere') return this.#interfere();
    return this.#send(kind === 'one' ? pick(this.#passIds) : null, { urgent: kind === 'urgent' });
  }

  /** Sends a message to all passes. It is due immediately. */
  sendToAll() {
    return this.#send(null, { later: 0 });
  }

  /**
   * Issues a pass that is on a phone, and sends it two messages. The first must prepare the pass. The second must not
   * overtake the first.
   */
  async sendToPhone(sql) {
    const passId = `phone-${(this.#count += 1)}`;
    await this.#sure('POST', '/v1/pass/phones', { id: passId }, randomUUID());
    const pass = `pass WHERE template_id = 'phones' AND id = '${passId}'`;
    sql(`INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
        SELECT account_id, serial_number, 'pass.example', serial_number, 'ab', clock_timestamp() FROM ${pass};
      INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
        SELECT account_id, serial_number, serial_number, template_id, clock_timestamp(), clock_timestamp() FROM ${pass}`);
    for (const urgent of [false, pick([false, true])])
      await this.#send(passId, { urgent, later: 0, templateId: 'phones' });
  }

  /** Sends a message to a pass, or to all passes of the template if `passId` is null. */
  async #send(
    passId,
    { urgent = false, later = pick([0, 0, random(LATEST_HOURS) * HOUR_MS]), templateId = 'soak' } = {},
  ) {
    const number = (this.#count += 1);
    const text = `Message ${number}`;
    const translations = {
      de: { title: `Titel ${number}`, text: `Nachricht ${number}` },
      ja: { text: `知らせ ${number}` },
    };
    const sendAt = later > 0 ? new Date(this.#time.now().getTime() + later).toISOString() : null;
    const topic = pick([null, null, 'gate', 'bar']);
    const path = passId === null ? `/v1/templates/${templateId}/messages` : `/v1/pass/${templateId}/${passId}/messages`;
    const { body } = await this.#sure('POST', path, { text, translations, sendAt, topic, urgent }, randomUUID());
    this.known.push({ id: body.id, number, text, urgent, passes: passId === null ? this.#passIds.length : 1 });
  }

  /** Changes the note on a pass. */
  async change(passId) {
    const value = String((this.#count += 1));
    await this.#sure('PATCH', `/v1/pass/soak/${passId}`, { fields: [{ key: 'note', label: 'Note', value }] });
    this.values.set(passId, value);
  }

  /** Pauses, resumes or cancels a recent message. The service may reject this. */
  async #interfere() {
    const message = pick(this.known.slice(-4));
    if (!message) return;
    const step = pick(['pause', 'resume', 'resume', 'cancel']);
    if (step === 'pause') this.paused.add(message.id);
    await this.#ledger.once('POST', `/v1/messages/${message.id}/${step}`).catch(() => undefined);
  }

  /** Repeats a call until a node has accepted it. */
  async #sure(method, path, body, key) {
    for (const end = performance.now() + ACCEPTED_SECONDS * 1000; ; await pause(50)) {
      try {
        return await this.#ledger.once(method, path, body, key);
      } catch (error) {
        if ((error.status >= 400 && error.status < 500 && error.status !== 429) || performance.now() > end) throw error;
      }
    }
  }
}

/** Makes Google slow, or makes it fail, or makes it lose responses to successful writes. */
export function disturb(google) {
  google.latencyMs = pick([0, 0, 50, 300]);
  if (random(3) === 0) google.dropAfterStoring(1 + random(2));
  if (random(4) === 0) google.next({ status: pick([503, 429, null]), times: 1 + random(2) });
}

/** Returns a random number of seconds by which the clock moves: often some minutes or hours, sometimes many days. */
export function nextMove() {
  return random(5) < 3 ? 600 + random(400 * 60) : 3600 + random(15 * 86_400);
}

// Virtual iPhones with passes of a ledger's account, and a push service that delivers to them.
import { deliverPushes, FakeApns, testCertificates, VirtualIPhone } from '@passwright/testing';
import { within } from './stage.mjs';

const WATCHED_EVERY_MS = 250;

/** A set of phones. Each has one pass. */
export class Phones {
  /**
   * The passes on phones. Each entry contains the phone, the pass's id, a promise of its last change, and the changes
   * that the phone does not show yet.
   */
  held = [];
  devices = [];
  authority = testCertificates();
  /** @type {ReturnType<ReturnType<typeof testCertificates>['pass']> | undefined} */
  certificate;
  /** @type {FakeApns} */
  apns;
  /** @type {ReturnType<typeof deliverPushes>} */
  delivery;
  /** The longest time in seconds from the response to a change until the phone showed the change. */
  latest = 0;
  #turn = 0;

  /**
   * Starts the push service.
   * @param stage stops the phones at the end of the test
   */
  static async start(stage) {
    const phones = new Phones();
    phones.apns = await FakeApns.start({ root: phones.authority.rootPem });
    phones.delivery = deliverPushes(phones.apns, phones.devices);
    const watch = setInterval(() => phones.#look(), WATCHED_EVERY_MS);
    stage.later(async () => {
      clearInterval(watch);
      await phones.delivery.stop().catch((error) => stage.failures.add(`a phone threw: ${error.message}`));
      for (const phone of phones.devices) await phone.close();
      await phones.apns.stop();
    });
    return phones;
  }

  /**
   * The variables of a node that pushes to these phones. Frequent changes are pushed after seconds instead of minutes.
   */
  get environment() {
    const certificate = (this.certificate ??= this.authority.pass({ passTypeIdentifier: 'pass.com.example.soak' }));
    return {
      APPLE_CERTIFICATE: certificate.certificatePem,
      APPLE_PRIVATE_KEY: certificate.privateKeyPem,
      APPLE_INTERMEDIATE: certificate.intermediatePem,
      APPLE_PUSH_URL: this.apns.url,
      APPLE_PUSH_CA: this.apns.ca,
      APPLE_PUSH_WINDOW_SECONDS: '5',
      APPLE_PUSH_PER_HOUR: '0',
    };
  }

  /** Issues passes and puts each on a phone. The phone calls the node whose address `route` returns. */
  async install(ledger, count, route) {
    const prefix = `held-${this.held.length}`;
    for (let at = 0; at < count; at += 1) {
      const { body } = await ledger.once('POST', '/v1/pass/soak', { id: `${prefix}-${at}` });
      const response = await fetch(route() + new URL(body.walletAUrl).pathname);
      if (!response.ok) throw new Error(`The package of a pass: ${response.status} ${await response.text()}`);
      const phone = VirtualIPhone.create({ roots: [this.authority.rootPem], route });
      const options = { lastModified: response.headers.get('last-modified') };
      const { registered } = await phone.add(Buffer.from(await response.arrayBuffer()), options);
      if (!registered) throw new Error('A phone could not register.');
      this.devices.push(phone);
      this.held.push({ phone, id: body.pass.id, changedTo: null, pending: [] });
    }
  }

  /** Changes the pass of the next phone. @throws if the service rejects the change */
  async change(ledger) {
    const turn = (this.#turn += 1);
    const pass = this.held[turn % this.held.length];
    // Make changes of one pass one after the other, so that the last change wins.
    pass.change = (pass.change ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.#changeTo(ledger, pass, turn));
    await pass.change;
  }

  async #changeTo(ledger, pass, turn) {
    const fields = [{ key: 'turn', label: 'Turn', value: String(turn) }];
    await ledger.once('PATCH', `/v1/pass/soak/${pass.id}`, { fields });
    pass.changedTo = turn;
    pass.pending.push({ turn, at: performance.now() });
  }

  /** Lists the passes whose phone does not show the service's current content. */
  async stale(ledger) {
    const stale = [];
    for (const pass of this.held) {
      const { body } = await ledger.once('GET', `/v1/pass/soak/${pass.id}`);
      const shown = this.shown(pass);
      if (turnOf(body.pass.fields) !== shown.turn || body.pass.voided !== shown.voided) stale.push(pass.id);
    }
    return stale;
  }

  /** Waits until all phones show the service's current content. */
  async checkCurrent(stage, ledger, seconds) {
    let stale = [];
    const isCurrent = async () => (await this.retry()) && (stale = await this.stale(ledger)).length === 0;
    const took = await within(seconds, isCurrent);
    stage.check(took < Infinity, `phones are not current: ${stale}`);
    return took;
  }

  /** Returns the content that a phone shows. */
  shown({ phone }) {
    const { json } = [...phone.passes.values()][0];
    return { turn: turnOf(Object.values(json.coupon).flat()), voided: json.voided ?? false };
  }

  /** Makes all phones repeat their failed steps. */
  retry() {
    return Promise.all(this.devices.map((phone) => phone.retryFailed()));
  }

  #look() {
    for (const pass of this.held) {
      const { pending } = pass;
      if (pending.length === 0) continue;
      const { turn } = this.shown(pass);
      const seconds = (performance.now() - pending[0].at) / 1000;
      this.latest = Math.max(this.latest, seconds);
      while (pending.length > 0 && pending[0].turn <= turn) pending.shift();
    }
  }
}

function turnOf(fields = []) {
  return Number(fields.find(({ key } = {}) => key === 'turn')?.value ?? 0);
}

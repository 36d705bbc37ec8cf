// A holder who has a pass of a ledger's account in Google Wallet.
import { FakeGoogleWallet } from '@passwright/testing';
import { Ledger } from './ledger.mjs';
import { within } from './stage.mjs';

const SAVED_SECONDS = 30;

export class GoogleHolder {
  /** @type {FakeGoogleWallet} */
  google;
  /** @type {string} The id of the pass. */
  passId;

  /**
   * Starts a fake Google Wallet.
   * @param route returns the address of the node that gets the callbacks
   * @param options passed to `FakeGoogleWallet.start`
   */
  static async start(stage, route, options = {}) {
    const holder = new GoogleHolder();
    holder.google = await FakeGoogleWallet.start({ ...options, route });
    stage.later(() => holder.google.stop());
    return holder;
  }

  /** The variables for a node that uses this Google Wallet. */
  get environment() {
    const { urls } = this.google;
    const account = this.google.serviceAccount();
    return {
      GOOGLE_ISSUER_ID: account.issuerId,
      GOOGLE_SERVICE_ACCOUNT: account.keyFile,
      GOOGLE_WALLET_URL: urls.api,
      GOOGLE_TOKEN_URL: urls.token,
      GOOGLE_SAVE_URL: urls.save,
      GOOGLE_CALLBACK_KEYS_URL: urls.keys,
    };
  }

  /**
   * Issues a pass and saves it to the wallet.
   * @param url the address of a node
   * @returns the id of the object at Google
   */
  async save(ledger, url, id = 'at-google') {
    const { body } = await ledger.once('POST', '/v1/pass/soak', { id });
    let link;
    await within(SAVED_SECONDS, async () => {
      const response = await fetch(url + new URL(body.walletBUrl).pathname);
      link = (await response.json()).url;
      return response.ok;
    });
    const { status, saved } = await this.google.save(link);
    if (status !== 200) throw new Error(`Google Wallet rejects the link: ${status}`);
    this.passId = body.pass.id;
    return saved[0];
  }

  /** Changes the note on the pass over the API. */
  change(ledger, note) {
    const fields = [{ key: 'note', label: 'Note', value: note }];
    return ledger.once('PATCH', `/v1/pass/soak/${this.passId}`, { fields });
  }

  /** Sends a message to the holder through a node. @returns its id */
  async message(ledger, url) {
    const sender = Object.assign(new Ledger([url], url), { token: ledger.token });
    const { body } = await sender.once('POST', `/v1/pass/soak/${this.passId}/messages`, { text: 'The bar is open.' });
    return body.id;
  }

  /** Returns how many times Google has got a message. */
  timesAdded(id) {
    return this.google.addedMessages.filter((message) => message.id === id).length;
  }

  /** Returns true if the object at Google has this note. */
  shows(note) {
    return [...this.google.objects.values()].some((object) => JSON.stringify(object).includes(note));
  }

  /**
   * Makes Google give no response to the next write.
   * @returns a function that returns true once this write has arrived
   */
  hangNextWrite() {
    let hasArrived = false;
    this.google.next({
      status: null,
      matches: ({ service, method, path }) => {
        const isWrite = service === 'api' && method !== 'GET' && path.includes('Object');
        hasArrived ||= isWrite;
        return isWrite;
      },
    });
    return () => hasArrived;
  }
}

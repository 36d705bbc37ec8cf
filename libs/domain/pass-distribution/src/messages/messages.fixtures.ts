import { Database } from '@passwright/database';
import { GoogleDueCron, GoogleSender } from '@passwright/google-wallet/testing';
import type { TestAccount, TestApp } from '../test-app.fixtures.js';
import { MessagesHandlers } from './messages.handlers.js';
import { MessagesRepository } from './messages.repository.js';

export const running = (signal = new AbortController().signal) => ({ signal });

/** An account with passes of the template `offer`. Messages are sent only when a test calls `sendDue`. */
export class MessagesWorld {
  constructor(
    readonly app: TestApp,
    readonly account: TestAccount,
  ) {}

  static async of(app: TestApp): Promise<MessagesWorld> {
    const account = await app.account();
    await account.template('offer', { issuerName: 'Harbour Hall' });
    return new MessagesWorld(app, account);
  }

  private get reads() {
    return this.app.get(Database).reads;
  }

  async issue(id: string, body: object = {}): Promise<string> {
    await this.account.post(`offer/${id}`, body).expect(200);
    const sql = 'SELECT serial_number AS serial FROM pass WHERE account_id = $1 AND id = $2';
    const [row] = await this.reads.query<[{ serial: string }]>(sql, [this.account.id, id]);
    return row.serial;
  }

  /** Translates the texts of the template. */
  async translate(translations: object): Promise<void> {
    await this.reads.query('UPDATE template SET translations = $2 WHERE account_id = $1', [
      this.account.id,
      translations,
    ]);
  }

  /** Registers a device for a pass. */
  async onPhone(serial: string): Promise<void> {
    const { id } = this.account;
    await this.reads.query(
      `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
       VALUES ($1, $2, 'pass.example', $2, 'ab', $3)`,
      [id, serial, this.app.clock.now()],
    );
    await this.reads.query(
      `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
       VALUES ($1, $2, $2, 'offer', $3, $3)`,
      [id, serial, this.app.clock.now()],
    );
  }

  /** Saves a pass at Google. */
  async atGoogle(serial: string): Promise<void> {
    await this.reads.query(
      `INSERT INTO google_resource (account_id, issuer_id, id, template_id, type, serial_number, saves, sent_hash, created_at)
       VALUES ($1, '3388000000022222222', $2, 'offer', 'offer', $2, 1, 'known', $3)`,
      [this.account.id, serial, this.app.clock.now()],
    );
  }

  /** Opens the Google link of a pass, and saves the pass. */
  async savedAtGoogle(passId: string): Promise<void> {
    await this.app.visit(`/v1/pass/${this.account.id}/offer/${passId}/walletB`).expect(200);
    const sql = `UPDATE google_resource SET saves = 1 WHERE account_id = $1 AND serial_number IN
      (SELECT serial_number FROM pass WHERE account_id = $1 AND id = $2)`;
    await this.reads.query(sql, [this.account.id, passId]);
  }

  /** Writes everything that is due to Google. */
  writeToGoogle(): Promise<void> {
    return this.app.get(GoogleDueCron).look(running());
  }

  /** Runs the jobs that write suspect objects: those that crashed processes were writing to Google. */
  async writeSuspects(): Promise<void> {
    const sql = `SELECT issuer_id AS "issuerId", array_agg(id) AS ids FROM google_resource
      WHERE account_id = $1 AND due_at IS NOT NULL AND open_claims > 1 GROUP BY issuer_id`;
    const suspects = await this.reads.query<{ issuerId: string; ids: string[] }[]>(sql, [this.account.id]);
    for (const one of suspects) await this.app.get(GoogleSender).sendAlone({ accountId: this.account.id, ...one });
  }

  /** Runs the jobs of the account's messages until no message is due. */
  async sendDue(): Promise<void> {
    for (;;) {
      const due = await this.app.get(MessagesRepository).due(this.app.clock.now(), 1000);
      const own = due.filter(({ accountId }) => accountId === this.account.id);
      if (own.length === 0) return;
      for (const { accountId, id: messageId } of own) {
        await this.app.get(MessagesHandlers).due({ accountId, messageId }, running());
      }
    }
  }

  post(path: string, body: object = {}) {
    return this.app.send('post', `/v1/${path}`, this.account.id).send(body);
  }

  get(path: string) {
    return this.app.send('get', `/v1/${path}`, this.account.id);
  }

  /** Returns the texts of the messages on a pass, newest first; null if the pass is not prepared. */
  async shown(passId: string): Promise<string[] | null> {
    const sql = 'SELECT messages FROM pass WHERE account_id = $1 AND id = $2';
    const [row] = await this.reads.query<[{ messages: { text: string }[] | null }]>(sql, [this.account.id, passId]);
    return row.messages && row.messages.map(({ text }) => text);
  }

  /** Saves a pass at Google, and records that Google has the object. */
  async writtenAtGoogle(serial: string): Promise<void> {
    await this.atGoogle(serial);
    const sql = String.raw`UPDATE google_resource SET sent_hash = '\x00' WHERE account_id = $1`;
    await this.reads.query(sql, [this.account.id]);
  }

  /** Returns the messages of a pass that Google has, and those that it will get. */
  async atGoogleNow(passId: string): Promise<object[] | null> {
    const sql = `SELECT g.messages FROM google_resource g JOIN pass p USING (account_id, serial_number)
      WHERE p.account_id = $1 AND p.id = $2`;
    const [row] = await this.reads.query<[{ messages: object[] | null }]>(sql, [this.account.id, passId]);
    return row.messages;
  }

  async message(id: string) {
    return (await this.get(`messages/${id}`).expect(200)).body;
  }
}

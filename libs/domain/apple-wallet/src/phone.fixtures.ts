import { randomBytes } from 'node:crypto';
import { Database } from '@passwright/database';
import { Template } from '@passwright/templates';
import type { Test } from 'supertest';
import yauzl from 'yauzl';
import { aTemplate } from '@passwright/passes/testing';
import { ApplePassesService } from './packages/apple-passes.service.js';
import type { TestAccount, TestApp } from './test-app.fixtures.js';

/** The pass type for which `FakeSigner` signs. */
export const passType = 'pass.com.example.test';

/** Issues a pass and reads its serial number from the package, as a phone does. */
export async function issued(app: TestApp, account: TestAccount, address: string, body: object = {}): Promise<string> {
  await account.post(address, body).expect(200);
  const [templateId, passId] = address.split('/');
  const [row] = await app
    .get(Database)
    .reads.query<{ serial_number: string }[]>(
      'SELECT serial_number FROM pass WHERE account_id = $1 AND template_id = $2 AND id = $3',
      [account.id, templateId, passId],
    );
  return row!.serial_number;
}

/** Inserts a template without images, for tests that build no package. */
export async function plainTemplate(app: TestApp, account: TestAccount, id = 'offer'): Promise<void> {
  await app.get(Database).reads.insert(Template, aTemplate('offer', { accountId: account.id, id }));
}

/** A simulated phone that uses the PassKit web service. */
export class Phone {
  readonly pushToken = randomBytes(32).toString('hex');
  /** The tag of the last list. The next list request contains it. */
  tag: string | undefined;

  constructor(
    private readonly app: TestApp,
    readonly deviceLibraryIdentifier = randomBytes(16).toString('hex'),
    private readonly type = passType,
    private readonly scheme = 'ApplePass',
  ) {}

  authorization(serial: string): string {
    return `${this.scheme} ${this.app.get(ApplePassesService).authenticationToken(serial)}`;
  }

  registrationPath(serial: string): string {
    return `/v1/devices/${this.deviceLibraryIdentifier}/registrations/${this.type}/${serial}`;
  }

  register(serial: string, pushToken = this.pushToken): Test {
    return this.registerWith(serial, JSON.stringify({ pushToken }));
  }

  registerWith(serial: string, body: string, type = 'application/json'): Test {
    return this.app
      .request('post', this.registrationPath(serial))
      .set({ Authorization: this.authorization(serial), 'Content-Type': type })
      .send(body);
  }

  unregister(serial: string): Test {
    return this.app.request('delete', this.registrationPath(serial)).set('Authorization', this.authorization(serial));
  }

  /** Lists the passes that have changed since the last list. */
  async list(): Promise<string[]> {
    const since = this.tag === undefined ? '' : `?passesUpdatedSince=${this.tag}`;
    const path = `/v1/devices/${this.deviceLibraryIdentifier}/registrations/${this.type}${since}`;
    const { status, body } = await this.app.request('get', path);
    if (status === 204) return [];
    if (status !== 200) throw new Error(`the list returned ${status}`);
    this.tag = body.lastUpdated;
    return (body.serialNumbers as string[]).sort();
  }

  passPath(serial: string): string {
    return `/v1/passes/${this.type}/${serial}`;
  }

  fetch(serial: string, since?: string): Test {
    return this.app
      .request('get', this.passPath(serial))
      .set({ Authorization: this.authorization(serial), ...(since && { 'If-Modified-Since': since }) })
      .responseType('blob');
  }

  log(...logs: string[]): Test {
    return this.app.request('post', '/v1/log').send({ logs });
  }
}

/** Returns the files of a package. */
export async function unpacked(archive: Buffer): Promise<Map<string, Buffer>> {
  const zip = await yauzl.fromBufferPromise(archive, { strictFileNames: true, validateEntrySizes: true });
  const files = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    files.set(entry.fileName, Buffer.concat(chunks));
  }
  return files;
}

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  deliverPushes,
  FakeApns,
  type FakeApnsPush,
  type InstalledPass,
  jobsIdle,
  type PushDelivery,
  repeatWhileBusy,
  testCertificates,
  type TestCertificates,
  testDatabase,
  VirtualIPhone,
} from '@passwright/testing';
import { DataSource } from 'typeorm';
import { type Account, type ApiResponse, RunningService } from './running-service.js';

/** The address in passes. Virtual phones send their requests to a node instead. */
const baseUrl = 'https://passes.example.com';
const sample = (name: string) => `${baseUrl}/images/samples/${name}.png`;
/** Images for the templates of this world, at its public address. */
const images = { icon: sample('icon'), logo: sample('logo'), banner: sample('banner') };
/** Images for a generic template. */
export const genericImages = { ...images, thumbnail: sample('thumbnail') };
export const passType = 'pass.com.example.operator';

/** A pass on a phone. */
export interface Held {
  readonly account: Account;
  readonly phone: VirtualIPhone;
  readonly template: string;
  readonly id: string;
  /** The path of the pass in the API. */
  readonly path: string;
  readonly serial: string;
  readonly walletAUrl: string;
}

/** An installation with its operator's certificate, its push service, and virtual iPhones. */
export class AppleWalletWorld {
  readonly nodes: RunningService[] = [];

  private constructor(
    readonly certificates: TestCertificates,
    readonly apns: FakeApns,
    readonly phones: Set<VirtualIPhone>,
    readonly delivery: PushDelivery,
    /** The environment that a node starts with. */
    readonly environment: Readonly<Record<string, string>>,
  ) {}

  /**
   * Starts one node.
   * @param pace variables that limit the pushes to a device. Default: one push for each change
   */
  static async start(pace: Record<string, string> = {}): Promise<AppleWalletWorld> {
    const world = await AppleWalletWorld.withoutNodes(pace);
    await world.addNode();
    return world;
  }

  static async withoutNodes(pace: Record<string, string> = {}): Promise<AppleWalletWorld> {
    const certificates = testCertificates();
    const operator = certificates.pass({ passTypeIdentifier: passType, development: false });
    const apns = await FakeApns.start({ root: certificates.rootPem });
    const phones = new Set<VirtualIPhone>();
    return new AppleWalletWorld(certificates, apns, phones, deliverPushes(apns, phones), {
      BASE_URL: baseUrl,
      APPLE_CERTIFICATE: operator.certificatePem,
      APPLE_PRIVATE_KEY: operator.privateKeyPem,
      APPLE_INTERMEDIATE: operator.intermediatePem,
      APPLE_PUSH_URL: apns.url,
      APPLE_PUSH_CA: apns.ca,
      APPLE_PUSH_WINDOW_SECONDS: '0',
      APPLE_PUSH_PER_HOUR: '0',
      ...pace,
    });
  }

  get service(): RunningService {
    return this.nodes[0] as RunningService;
  }

  async addNode(more: Record<string, string> = {}): Promise<RunningService> {
    const node = await RunningService.start({ ...this.environment, ...more }, this.nodes[0]);
    this.nodes.push(node);
    return node;
  }

  /** Stops the newest node. */
  async stopNode(): Promise<void> {
    await this.nodes.pop()?.stop();
  }

  async stop(): Promise<void> {
    await this.delivery.stop();
    for (const phone of this.phones) await phone.close();
    while (this.nodes.length > 0) await this.stopNode();
    await this.apns.stop();
  }

  /**
   *
   * @param url returns the address of the web service. Default: that of the first node
   */
  phone(url: () => string = () => this.service.baseUrl): VirtualIPhone {
    const phone = VirtualIPhone.create({ roots: [this.certificates.rootPem], route: url });
    this.phones.add(phone);
    return phone;
  }

  /** Registers an account with the template `offer`. */
  async newAccount(): Promise<Account> {
    const account = await this.service.register();
    await this.saveTemplate(account, 'offer');
    await this.templatesMarked();
    return account;
  }

  /**
   * Waits until jobs have marked the phones of all changed templates for a push, because they would also mark phones
   * that register now.
   */
  async templatesMarked(): Promise<void> {
    const tasks = ['apple-certificate.changed', 'templates.renew', 'templates.changed', 'apple-push.mark'];
    await this.jobsIdle(tasks);
  }

  /** Saves a template with the front field `points`. */
  async saveTemplate(account: Account, id: string, changes: object = {}): Promise<void> {
    const fields = [{ key: 'points', label: 'Points', value: '0' }];
    // Repeat the request, because a busy node may reject it during the preparation of images.
    const save = () => account.saveTemplate('offer', id, { ...images, fields, ...changes });
    mustBe(200, await repeatWhileBusy(save));
  }

  /** Issues a pass, or changes the pass with that id. */
  async issue(account: Account, template: string, id: string = randomUUID(), body: object = {}): Promise<ApiResponse> {
    return mustBe(200, await account.post(`/v1/pass/${template}/${id}`, body));
  }

  /** Issues a pass and puts it on a phone, which registers. */
  async hold(account: Account, template: string, body: object = {}, phone = this.phone()): Promise<Held> {
    const { body: issued } = await this.issue(account, template, undefined, body);
    return this.put(account, issued, phone);
  }

  /**
   * Puts an issued pass on a phone.
   * @param issued the body of the response that issued it
   */
  async put(account: Account, issued: ApiResponse['body'], phone = this.phone()): Promise<Held> {
    const { pass, walletAUrl } = issued;
    const download = mustBe(200, await account.service.request('GET', walletAUrl));
    const { json, registered } = await phone.add(download.bytes);
    if (!registered) throw new Error(`the phone could not register: ${JSON.stringify(phone.requests.slice(-3))}`);
    const path = `/v1/pass/${pass.templateId}/${pass.id}`;
    const { templateId: template, id } = pass;
    return { account, phone, template, id, path, serial: json.serialNumber, walletAUrl };
  }

  /**
   * Downloads a pass, and checks that a phone accepts it.
   * @returns its `pass.json`
   */
  async downloaded({ walletAUrl }: { readonly walletAUrl: string }): Promise<InstalledPass['json']> {
    const { bytes } = mustBe(200, await this.service.request('GET', walletAUrl));
    const phone = VirtualIPhone.create({ roots: [this.certificates.rootPem] });
    return (await phone.add(bytes, { automaticUpdates: false })).json;
  }

  /** Returns all pushes for a phone, with any outcome. */
  pushesTo(phone: VirtualIPhone): FakeApnsPush[] {
    const tokens = new Set(phone.tokens.values());
    return this.apns.pushes.filter(({ token }) => tokens.has(token));
  }

  /** Returns the push service's response to each push for a phone; null if there is none. */
  statusesOf({ phone }: Held): (number | null)[] {
    return this.pushesTo(phone).map(({ status }) => status);
  }

  /** Finds the service's record of a phone; an empty list if it was deleted. */
  devicesOf({ tokens }: VirtualIPhone): Promise<{ id: string }[]> {
    return this.sql('SELECT id FROM apple_device WHERE push_token = ANY ($1)', [[...tokens.values()]]);
  }

  /** Waits until the phone has handled the next push. */
  async nextPush(phone: VirtualIPhone): Promise<FakeApnsPush> {
    const push = await this.apns.nextPush(({ token }) => [...phone.tokens.values()].includes(token));
    await this.delivery.settled();
    return push;
  }

  /** Runs the jobs that are scheduled every minute. */
  async minutePasses(): Promise<void> {
    for (const task of ['passes.expire', 'apple-push.look']) {
      await this.sql(`SELECT graphile_worker.add_job($1, '{}')`, [task]);
    }
  }

  /**
   * Waits until no job is running or due.
   * @param tasks the tasks whose jobs count. Default: all
   */
  async jobsIdle(tasks?: readonly string[]): Promise<void> {
    const { DATABASE_SCHEMA: schema, DATABASE_DIRECT_URL, DATABASE_URL = DATABASE_DIRECT_URL } = this.environment;
    // Most specs share a database, so jobs are there unless the environment names a schema. A spec with its own
    // Postgres waits for its jobs itself.
    const url = schema === undefined ? undefined : (DATABASE_DIRECT_URL ?? DATABASE_URL);
    await jobsIdle(url ?? (await testDatabase()).url, { ...(tasks && { tasks }), ...(schema && { schema }) });
  }

  get dataSource(): DataSource {
    return this.service.app.get(DataSource);
  }

  sql<Row>(statement: string, values: unknown[] = []): Promise<Row[]> {
    return this.dataSource.query(statement, values);
  }
}

/**
 * Returns the response if it has this status.
 * @throws if it has another one
 */
export function mustBe(status: number, response: ApiResponse): ApiResponse {
  if (response.status === status) return response;
  throw new Error(`returned ${response.status} instead of ${status}: ${JSON.stringify(response.body)}`);
}

/** Returns the properties of a pass with this many points. */
export const points = (value: string) => ({ fields: [{ key: 'points', label: 'Points', value }] });

/** Changes the points of a pass with one PATCH. */
export async function setPoints({ account, path }: Held, value: string): Promise<ApiResponse> {
  return mustBe(200, await account.patch(path, points(value)));
}

/** Returns the `pass.json` that a phone shows. */
export function shown({ phone, serial }: Held) {
  const pass = phone.passes.get(serial);
  if (!pass) throw new Error('The phone has no such pass.');
  return pass.json;
}

/** Returns the value of a front field on a phone. */
export function shownField(held: Held, key: string): unknown {
  const { coupon } = shown(held) as { coupon?: Record<string, { key: string; value: unknown }[]> };
  return Object.values(coupon ?? {})
    .flat()
    .find((field) => field.key === key)?.value;
}

/** Waits until a phone shows this number of points. */
export async function showsPoints(held: Held, value: string, timeoutSeconds?: number): Promise<void> {
  await until(
    () => shownField(held, 'points'),
    (points) => points === value,
    timeoutSeconds,
  );
}

/** Returns the push token of the phone that holds a pass. */
export function pushToken({ phone }: Held): string {
  const [token] = phone.tokens.values();
  if (token === undefined) throw new Error('The phone has no push token.');
  return token;
}

/** Reads the delivery trace of a pass. */
export async function trace({ account, path }: Held): Promise<ApiResponse['body']> {
  return mustBe(200, await account.get(`${path}/delivery`)).body;
}

/**
 * Repeats a lookup until the condition holds.
 * @throws with the last value when the time limit ends
 */
export async function until<T>(
  look: () => T | Promise<T>,
  holds: (seen: T) => unknown,
  timeoutSeconds = 25,
): Promise<T> {
  const deadline = performance.now() + timeoutSeconds * 1000;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (performance.now() > deadline) throw new Error(`Never came about; last seen: ${JSON.stringify(seen)}`);
    await pause(20);
  }
}

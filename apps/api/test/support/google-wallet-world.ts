import { setTimeout as pause } from 'node:timers/promises';
import { randomInt } from 'node:crypto';
import {
  FakeGoogleWallet,
  jobsIdle,
  repeatWhileBusy,
  testDatabase,
  type TestServiceAccount,
} from '@passwright/testing';
import { type Account, RunningService, type TemplateType } from './running-service.js';

const publicUrl = 'https://passes.example.com';
const samples = `${publicUrl}/images/samples`;

/** Returns a new service account, because another spec may have opened the circuit breaker of an older one. */
function newServiceAccount(google: FakeGoogleWallet): TestServiceAccount {
  return google.serviceAccount(`3388${randomInt(1e12, 1e13)}`);
}

/** Returns the variables of a service that writes to a fake Google Wallet. */
export function googleEnvironment(
  google: FakeGoogleWallet,
  { issuerId, keyFile } = newServiceAccount(google),
): Record<string, string> {
  const { urls } = google;
  return {
    GOOGLE_ISSUER_ID: issuerId,
    GOOGLE_SERVICE_ACCOUNT: keyFile,
    GOOGLE_WALLET_URL: urls.api,
    GOOGLE_TOKEN_URL: urls.token,
    GOOGLE_SAVE_URL: urls.save,
    GOOGLE_CALLBACK_KEYS_URL: urls.keys,
  };
}

/** A fake Google Wallet and a service that writes to it. The public address of the service leads to its first node. */
export class GoogleWalletWorld {
  private constructor(
    readonly google: FakeGoogleWallet,
    readonly serviceAccount: TestServiceAccount,
    readonly nodes: readonly RunningService[],
  ) {}

  static async start(count = 1): Promise<GoogleWalletWorld> {
    const nodes: RunningService[] = [];
    const google = await FakeGoogleWallet.start({ route: () => nodes[0]!.baseUrl });
    const account = newServiceAccount(google);
    const environment = { BASE_URL: publicUrl, ...googleEnvironment(google, account) };
    for (let n = 0; n < count; n++) nodes.push(await RunningService.start(environment, nodes[0]));
    return new GoogleWalletWorld(google, account, nodes);
  }

  get service(): RunningService {
    return this.nodes[0]!;
  }

  async stop(): Promise<void> {
    // The first node stops last, because the others share its folder.
    for (const node of [...this.nodes].reverse()) await node.stop();
    await this.google.stop();
  }

  /** Saves a template whose images Google can fetch. */
  async template(account: Account, type: TemplateType, id: string = type, changes: object = {}): Promise<void> {
    const thumbnail = type === 'generic' ? { thumbnail: `${samples}/thumbnail.png` } : {};
    const images = { icon: `${samples}/icon.png`, logo: `${samples}/logo.png`, banner: `${samples}/banner.png` };
    // Repeat the request, because a busy node may reject it during the preparation of images.
    const save = () => account.saveTemplate(type, id, { ...images, ...thumbnail, ...changes });
    const { status, body } = await repeatWhileBusy(save);
    if (status !== 200) throw new Error(`template returned ${status}: ${JSON.stringify(body)}`);
    // Wait until a job has marked the template's passes, because it would also mark passes that are issued now.
    await jobsIdle((await testDatabase()).url, { tasks: ['templates.changed', 'google-wallet.mark'] });
  }

  /** Returns Google's object for the pass of a save link. */
  objectOf(link: string): Record<string, unknown> | undefined {
    return this.google.objects.get(objectIdOf(link));
  }
}

/** Returns the id of the first object that a link refers to. */
export function objectIdOf(link: string): string {
  const [, claims = ''] = link.split('/').at(-1)!.split('.');
  const { payload } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    payload: Record<string, { id: string }[]>;
  };
  return Object.values(payload)[0]![0]!.id;
}

/**
 * Calls `look` until its result is truthy.
 * @returns that result
 * @throws Error after a minute
 */
export async function eventually<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const endsAt = performance.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > endsAt) throw new Error(`Not after a minute: ${what}`);
    await pause(50);
  }
}

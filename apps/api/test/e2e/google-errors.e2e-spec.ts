import { monitorEventLoopDelay } from 'node:perf_hooks';
import { eventually, GoogleWalletWorld, objectIdOf } from '../support/google-wallet-world.js';
import type { Account } from '../support/running-service.js';

let world: GoogleWalletWorld;
let account: Account;
const ids = Array.from({ length: 12 }, (_, n) => `p${n}`);

beforeAll(async () => {
  world = await GoogleWalletWorld.start(3);
  account = await world.service.register();
  await world.template(account, 'offer');
  for (const id of ids) await account.post(`/v1/pass/offer/${id}`, { code: `first-${id}` });
});
afterAll(() => world.stop());

const isApi = ({ service, method }: { service: string; method: string }) => service === 'api' && method !== 'GET';

/**
 * Requests the save links from all nodes simultaneously, until each request succeeds.
 * @returns the objects at Google
 */
async function links(): Promise<Map<string, string>> {
  const asked = ids.map(async (id, n) => {
    const node = world.nodes[n % world.nodes.length]!;
    const path = `/v1/pass/${account.id}/offer/${id}/walletB`;
    const link = await eventually(`the link of ${id}`, async () => {
      const { status, body } = await node.request('GET', path);
      if (status !== 200 && status !== 503) throw new Error(`the link returned ${status}`);
      return status === 200 ? (body.url as string) : null;
    });
    return [id, objectIdOf(link)] as const;
  });
  return new Map(await Promise.all(asked));
}

it('three nodes agree with an unreliable Google at the end, and never exceed its quota', async () => {
  const { google } = world;
  const standstills = monitorEventLoopDelay({ resolution: 10 });
  standstills.enable();
  google.tokenFailures = 1;
  google.latencyMs = 40;
  google.dropAfterStoring(1);
  google.next({ status: 429, reason: 'rateLimitExceeded', retryAfter: 1, times: 1, matches: isApi });
  google.next({ status: 503, reason: 'backendError', times: 3, matches: isApi });
  const objects = await links();

  // All passes and the template change at the same time, while tokens expire and requests fail.
  google.expireTokens();
  google.dropAfterStoring(3);
  google.next({ status: 503, reason: 'backendError', times: 6, matches: isApi });
  google.next({ status: 403, reason: 'rateLimitExceeded', times: 2, matches: isApi });
  const changed = ids.map((id, n) =>
    n % 3 === 0
      ? account.post(`/v1/pass/offer/${id}/void`)
      : account.patch(`/v1/pass/offer/${id}`, { code: `second-${id}` }),
  );
  await Promise.all(changed);
  await world.template(account, 'offer', 'offer', { title: 'Winter offer' });

  await eventually('nothing waits', async () => {
    const { body } = await account.get('/v1/templates/offer/walletB');
    return body.objects.waiting === 0 && body.class.state === 'current';
  });
  for (const [n, id] of ids.entries()) {
    const object = google.objects.get(objects.get(id)!);
    expect(object).toMatchObject(
      n % 3 === 0
        ? { state: 'INACTIVE', barcode: { value: `first-${id}` } }
        : { state: 'ACTIVE', barcode: { value: `second-${id}` } },
    );
  }
  const classes = [...google.classes.values()].filter(({ title }) => title === 'Winter offer');
  expect(classes).toHaveLength(1);
  standstills.disable();
  // The quota allows 15 requests a second on average, and 17 in one second. After a pause, this process sends all
  // requests that are due at once.
  const heldBack = Math.ceil((standstills.max / 1e9) * 15);
  expect(google.maxRequestsInASecond()).toBeLessThanOrEqual(Math.max(20, 17 + heldBack));
}, 150_000);

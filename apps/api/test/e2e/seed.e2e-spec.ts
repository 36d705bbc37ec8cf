import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '@passwright/testing';
import { RunningService } from '../support/running-service.js';

const script = join(__dirname, '../../../../tools/seed/seed.mjs');
let service: RunningService;

beforeAll(async () => {
  // Set the port now, because links contain the address of the service.
  service = await RunningService.start({ PORT: String(await freePort()) });
});
afterAll(() => service.stop());

function started() {
  const { PATH, TMPDIR } = process.env;
  const BASE_URL = service.baseUrl.replace('127.0.0.1', 'localhost');
  return spawn(process.execPath, [script], { env: { PATH, TMPDIR, BASE_URL } });
}

/** Runs `npm run seed`. @returns what it prints */
async function seed(): Promise<string> {
  const child = started();
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect([code, err]).toEqual([0, '']);
  return out;
}

/** Signs in with each printed address and password. @returns the access tokens by e-mail address */
async function signedIn(output: string): Promise<Map<string, string>> {
  const tokens = new Map<string, string>();
  for (const [, email = '', password] of output.matchAll(/(\S+@\S+) +password: (.*)$/gm)) {
    const { status, body } = await service.request('POST', '/v1/auth/login', { body: { email, password } });
    expect(status).toBe(200);
    tokens.set(email, body.accessToken as string);
  }
  return tokens;
}

/** Reads a whole list. */
async function list(path: string, token: string | undefined, cursor = ''): Promise<Record<string, unknown>[]> {
  const { body } = await service.request('GET', `${path}?limit=100${cursor}`, { token });
  const { data, nextCursor } = body as { data: Record<string, unknown>[]; nextCursor: string | null };
  return nextCursor === null ? data : [...data, ...(await list(path, token, `&cursor=${nextCursor}`))];
}

/** Reads the passes and members of the accounts. */
async function content(output: string) {
  const tokens = await signedIn(output);
  const [ada, grace] = [tokens.get('ada@roastery.example'), tokens.get('grace@rowing.example')];
  // Only keys may read members.
  const key = [...output.matchAll(/API key +(\S+)/g)].map((match) => match[1]).at(-1);
  const members = await list('/v1/memberships/members', key);
  const coupons = await list('/v1/pass/free-filter', ada);
  return {
    people: [...tokens.keys()],
    templates: [...(await list('/v1/templates', ada)), ...(await list('/v1/templates', grace))].map(({ type }) => type),
    voided: (await list('/v1/pass/loyalty', ada)).filter((pass) => pass.voided).length,
    redeemed: coupons.filter((pass) => pass.redeemedAt).length,
    early: coupons.filter((pass) => pass.validFrom && (pass.validFrom as string) > new Date().toISOString()).length,
    expired: coupons.filter((pass) => (pass.expiry as string) < new Date().toISOString()).length,
    members: members.map(({ status }) => status),
    webhooks: (await list('/v1/webhooks', ada)).map(({ name }) => name),
    messages: (await list('/v1/messages', ada)).map(({ topic }) => topic),
  };
}

it('npm run seed makes passes and members in every state, and a second run changes nothing', async () => {
  const output = await seed();
  expect(output).toMatch(/ 1 pass  /);
  expect(output).not.toMatch(/ 1 passes/);
  const first = await content(output);
  expect(first).toMatchObject({
    people: ['ada@roastery.example', 'joan@roastery.example', 'grace@rowing.example'],
    templates: expect.arrayContaining(['membership', 'offer', 'event', 'generic']),
    members: expect.arrayContaining(['pending', 'active', 'suspended', 'cancelled']),
    webhooks: ['CRM'],
  });
  expect(first.messages.sort()).toEqual(['doors', 'new-roast']);
  const { voided, redeemed, early, expired } = first;
  expect(Math.min(voided, redeemed, early, expired)).toBeGreaterThan(0);
  expect(await content(await seed())).toEqual(first);
}, 120_000);

it('npm run seed completes even if `head` closes its output', async () => {
  const child = started();
  child.stdout.destroy();
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([code, err]).toEqual([0, '']);
}, 120_000);

import type { ScriptedAnswer } from '@passwright/testing';
import { AppleWalletWorld, type Held, mustBe, setPoints, shownField, trace, until } from './apple-wallet-world.js';
import type { Account } from './running-service.js';

let world: AppleWalletWorld;

/** The push token of the phone that holds a pass. */
const tokenOf = ({ phone }: Held): string => {
  const [token] = phone.tokens.values();
  if (token === undefined) throw new Error('The phone has no push token.');
  return token;
};
const devices = (held: Held) => world.sql('SELECT id FROM apple_device WHERE push_token = $1', [tokenOf(held)]);
const statuses = ({ phone }: Held) => world.pushesTo(phone).map(({ status }) => status);

async function newAccount(): Promise<Account> {
  const account = await world.service.register();
  await world.saveTemplate(account, 'offer');
  return account;
}

async function shows(held: Held, value: string): Promise<void> {
  await until(
    () => shownField(held, 'points'),
    (points) => points === value,
  );
}

describe('whatever the push service does, the phone gets there in the end', () => {
  const underway = new Map<string, Promise<void>>();
  const start = (what: string, scenario: Promise<void>) => {
    // It is waited for by the test of that name.
    scenario.catch(() => undefined);
    underway.set(what, scenario);
  };
  const ended = (what: string): Promise<void> => {
    const scenario = underway.get(what);
    if (!scenario) throw new Error('It was not started.');
    return scenario;
  };

  beforeAll(async () => {
    world = await AppleWalletWorld.start();
    // All at once, as each takes seconds of waiting; first those that end connections, which are everybody's.
    await goAway();
    await cutOff();
    for (const [what, answer] of Object.entries(passing)) start(what, recovers(answer));
    start('an answer that never comes', hangs());
    for (const [what, answer] of Object.entries(final)) start(what, isForgotten(answer));
  });
  afterAll(() => world.stop());

  /** A pass on a phone whose push service is told to behave in some way, and then the pass changes. */
  async function changed(tell: (token: string) => void): Promise<Held> {
    const held = await world.hold(await newAccount(), 'offer');
    tell(tokenOf(held));
    await setPoints(held, '1');
    return held;
  }

  async function recovers(answer: ScriptedAnswer): Promise<void> {
    const held = await changed((token) => world.apns.answer(token, { ...answer, times: 1 }));
    await shows(held, '1');
    expect(statuses(held)).toEqual([answer.status, 200]);
    expect(await devices(held)).toHaveLength(1);
    const { devices: traced } = await until(
      () => trace(held),
      ({ devices: [device] }) => device.pushed.status === 200,
    );
    expect(traced).toEqual([expect.objectContaining({ verdict: 'up_to_date' })]);
  }

  async function hangs(): Promise<void> {
    const held = await changed((token) => world.apns.hang(token, 1));
    await shows(held, '1');
    expect(statuses(held)).toEqual([null, 200]);
  }

  async function cutOff(): Promise<void> {
    const held = await changed((token) => world.apns.hang(token, 1));
    await until(
      () => world.pushesTo(held.phone),
      ({ length }) => length === 1,
    );
    world.apns.dropConnections();
    start('a connection that is cut', shows(held, '1'));
  }

  /** On a connection that has served. */
  async function goAway(): Promise<void> {
    const held = await changed(() => undefined);
    await world.nextPush(held.phone);
    const { connectionsSeen } = world.apns;
    world.apns.goAway();
    await setPoints(held, '2');
    const arrival = shows(held, '2').then(() => expect(world.apns.connectionsSeen).toBeGreaterThan(connectionsSeen));
    start('GOAWAY', arrival);
    await arrival;
  }

  async function isForgotten(answer: ScriptedAnswer): Promise<void> {
    const held = await changed((token) => world.apns.answer(token, answer));
    const { devices: traced } = await until(
      () => trace(held),
      ({ devices: [device] }) => device.verdict === 'updates_off',
    );
    expect(traced).toEqual([
      expect.objectContaining({ explanation: expect.stringContaining('push service'), nextPush: null }),
    ]);
    expect(statuses(held)).toEqual(answer.status === 410 ? [410] : [400, 400]);
    expect(await devices(held)).toEqual([]);
    // It asks for itself, as its holder refreshes the pass; and once it registers anew it is told again.
    expect(await held.phone.refresh(held.serial)).toBe('updated');
    await held.phone.changePushToken();
    await setPoints(held, '2');
    await world.nextPush(held.phone);
    expect(shownField(held, 'points')).toBe('2');
  }

  const passing: Record<string, ScriptedAnswer> = {
    '429 TooManyRequests': { status: 429, reason: 'TooManyRequests', retryAfter: 1 },
    '503 ServiceUnavailable': { status: 503, reason: 'ServiceUnavailable' },
    '500 InternalServerError': { status: 500, reason: 'InternalServerError' },
    '502 without the JSON of Apple': { status: 502, body: '<html>Bad Gateway</html>' },
    'a single BadDeviceToken': { status: 400, reason: 'BadDeviceToken' },
    '410 of before it registered': { status: 410, reason: 'Unregistered', timestamp: Date.now() - 3_600_000 },
  };
  const final: Record<string, ScriptedAnswer> = {
    '410 Unregistered': { status: 410, reason: 'Unregistered' },
    '410 ExpiredToken': { status: 410, reason: 'ExpiredToken' },
    'BadDeviceToken, twice': { status: 400, reason: 'BadDeviceToken' },
  };

  it.each([...Object.keys(passing), 'GOAWAY', 'a connection that is cut', 'an answer that never comes'])(
    'after %s it is pushed again, and shows the change',
    ended,
  );

  it.each(Object.keys(final))('after %s the device is gone, the trace says why, and it may register anew', (what) =>
    underway.get(what),
  );
});

describe('a certificate that the push service refuses', () => {
  beforeAll(async () => {
    world = await AppleWalletWorld.start();
  });
  afterAll(() => world.stop());

  const newCertificate = () => {
    const certificate = world.certificates.pass({ passTypeIdentifier: 'pass.com.example.own', development: false });
    const { certificatePem, privateKeyPem, intermediatePem } = certificate;
    return { certificate: certificatePem, privateKey: privateKeyPem, intermediate: intermediatePem };
  };
  const bring = async (account: Account) => {
    const body = newCertificate();
    return mustBe(200, await world.service.request('PUT', '/v1/account/walletA', { token: account.token, body }));
  };
  const push = async (account: Account) => mustBe(200, await account.get('/v1/account/walletA')).body.push;

  /** An account whose certificate is refused from now on, its pass on two phones. */
  async function refused(): Promise<[Held, Held]> {
    const account = await newAccount();
    await bring(account);
    const { body: issued } = await world.issue(account, 'offer');
    const phones: [Held, Held] = [await world.put(account, issued), await world.put(account, issued)];
    for (const held of phones) world.apns.answer(tokenOf(held), { status: 403, reason: 'BadCertificate' });
    await setPoints(phones[0], '1');
    await until(
      () => push(account),
      ({ state }) => state === 'halted',
    );
    return phones;
  }

  const acceptAgain = (phones: Held[]) => {
    for (const held of phones) world.apns.answer(tokenOf(held), { status: 200 });
  };

  it('halts the pushes of its account alone, says so, and no device is lost; a renewed one ends that', async () => {
    const phones = await refused();
    const [held] = phones;
    const { account } = held;
    expect(await push(account)).toMatchObject({ reason: expect.stringContaining('BadCertificate') });
    const sent = phones.flatMap(statuses);

    await setPoints(held, '2');
    await world.minutePasses();
    await world.jobsIdle();
    expect(phones.flatMap(statuses)).toEqual(sent);
    const traced = await trace(held);
    expect(traced.push).toMatchObject({ state: 'halted', reason: expect.stringContaining('BadCertificate') });
    expect(traced.devices.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['waiting', 'waiting']);
    expect([...(await devices(phones[0])), ...(await devices(phones[1]))]).toHaveLength(2);

    const other = await world.hold(await newAccount(), 'offer');
    await setPoints(other, '1');
    await world.nextPush(other.phone);
    expect(shownField(other, 'points')).toBe('1');

    acceptAgain(phones);
    await bring(account);
    await world.minutePasses();
    for (const each of phones) await shows(each, '2');
    expect(await push(account)).toMatchObject({ state: 'on', reason: null });
  });

  it('is tried again with one device later on; once it is taken, everybody is told', async () => {
    const phones = await refused();
    const { account } = phones[0];
    const refusals = phones.flatMap(statuses).length;
    await world.sql('UPDATE apple_push_halt SET retry_at = now() WHERE account_id = $1', [account.id]);
    await world.minutePasses();
    await until(
      () => phones.flatMap(statuses),
      ({ length }) => length > refusals,
    );
    await world.jobsIdle();
    expect(phones.flatMap(statuses)).toEqual(new Array(refusals + 1).fill(403));
    expect(await push(account)).toMatchObject({ state: 'halted' });

    acceptAgain(phones);
    await world.sql('UPDATE apple_push_halt SET retry_at = now() WHERE account_id = $1', [account.id]);
    await world.minutePasses();
    for (const each of phones) await shows(each, '1');
    await until(
      () => push(account),
      ({ state }) => state === 'on',
    );
  });
});

describe('a burst of changes', () => {
  const windowSeconds = 3;

  beforeAll(async () => {
    world = await AppleWalletWorld.start({ APPLE_PUSH_WINDOW_SECONDS: String(windowSeconds) });
  });
  afterAll(() => world.stop());

  it('of twenty makes two pushes of each device, the last of which brings the last change', async () => {
    const held = await world.hold(await newAccount(), 'offer');
    const other = await world.put(held.account, (await held.account.get(held.path)).body);
    const began = performance.now();
    await Promise.all(Array.from({ length: 19 }, (_, index) => setPoints(held, `early ${index}`)));
    await setPoints(held, 'last');
    const tookSeconds = (performance.now() - began) / 1000;
    await shows(held, 'last');
    await shows(other, 'last');
    await world.jobsIdle();

    // Two, unless this machine takes longer than the window to make the changes.
    const most = 1 + Math.ceil(tookSeconds / windowSeconds);
    for (const { phone } of [held, other]) {
      const pushes = world.pushesTo(phone).map(({ at }) => at.getTime());
      expect(pushes.length).toBeLessThanOrEqual(most);
      for (const [index, at] of pushes.slice(1).entries()) {
        expect(at - (pushes[index] as number)).toBeGreaterThanOrEqual(windowSeconds * 1000 - 200);
      }
    }
  });
});

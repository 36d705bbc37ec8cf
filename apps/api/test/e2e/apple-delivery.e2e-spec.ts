import type { ScriptedResponse } from '@passwright/testing';
import {
  AppleWalletWorld,
  type Held,
  pushToken,
  setPoints,
  showsPoints,
  trace,
  until,
} from '../support/apple-wallet-world.js';

let world: AppleWalletWorld;

describe('errors of the push service', () => {
  const underway = new Map<string, Promise<void>>();
  const start = (what: string, scenario: Promise<void>) => {
    // Prevents an unhandled rejection. The tests await the scenarios later.
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
    // Run the scenarios simultaneously, because each waits for seconds. Those that end connections come first, because
    // they affect the others.
    await goAway();
    await cutOff();
    for (const [what, response] of Object.entries(passing)) start(what, recovers(response));
    start('a response that never comes', hangs());
    for (const [what, response] of Object.entries(final)) start(what, isForgotten(response));
  }, 90_000);
  afterAll(() => world.stop());

  /** Puts a pass on a phone, makes the push service behave in the given way, and changes the pass. */
  async function changed(script: (token: string) => void): Promise<Held> {
    const held = await world.hold(await world.newAccount(), 'offer');
    script(pushToken(held));
    await setPoints(held, '1');
    return held;
  }

  async function recovers(response: ScriptedResponse): Promise<void> {
    const held = await changed((token) => world.apns.respond(token, { ...response, times: 1 }));
    // Simultaneous scenarios on a busy machine make this slower than usual.
    await showsPoints(held, '1', 60);
    expect(world.statusesOf(held)).toEqual([response.status, 200]);
    expect(await world.devicesOf(held.phone)).toHaveLength(1);
    const { devices: traced } = await until(
      () => trace(held),
      ({ devices: [device] }) => device.pushed.status === 200,
    );
    expect(traced).toEqual([expect.objectContaining({ verdict: 'up_to_date' })]);
  }

  async function hangs(): Promise<void> {
    const held = await changed((token) => world.apns.hang(token, 1));
    // The push service may take ten seconds to respond before the service tries again.
    await showsPoints(held, '1', 60);
    expect(world.statusesOf(held)).toEqual([null, 200]);
  }

  async function cutOff(): Promise<void> {
    const held = await changed((token) => world.apns.hang(token, 1));
    await until(
      () => world.pushesTo(held.phone),
      ({ length }) => length === 1,
    );
    world.apns.dropConnections();
    start('a connection that is cut', showsPoints(held, '1'));
  }

  /** Makes the push service close a connection that has served requests. */
  async function goAway(): Promise<void> {
    const held = await changed(() => undefined);
    await world.nextPush(held.phone);
    const { connectionsSeen } = world.apns;
    world.apns.goAway();
    await setPoints(held, '2');
    const arrival = showsPoints(held, '2').then(() =>
      expect(world.apns.connectionsSeen).toBeGreaterThan(connectionsSeen),
    );
    start('GOAWAY', arrival);
    await arrival;
  }

  async function isForgotten(response: ScriptedResponse): Promise<void> {
    const held = await changed((token) => world.apns.respond(token, response));
    if (response.status === 400) {
      await until(
        () =>
          world.sql<{ bad: number }>('SELECT bad_tokens AS bad FROM apple_device WHERE push_token = $1', [
            pushToken(held),
          ]),
        ([device]) => device?.bad === 1,
      );
      await setPoints(held, '1.5');
    }
    const { devices: traced } = await until(
      () => trace(held),
      ({ devices: [device] }) => device.verdict === 'updates_off',
    );
    expect(traced).toEqual([
      expect.objectContaining({ explanation: expect.stringContaining('push service'), nextPush: null }),
    ]);
    expect(world.statusesOf(held)).toEqual(response.status === 410 ? [410] : [400, 400]);
    expect(await world.devicesOf(held.phone)).toEqual([]);
    // The phone gets the change only when its holder refreshes the pass. Pushes start again after a new registration.
    expect(await held.phone.refresh(held.serial)).toBe('updated');
    await held.phone.changePushToken();
    await setPoints(held, '2');
    await showsPoints(held, '2');
  }

  const passing: Record<string, ScriptedResponse> = {
    '429 TooManyRequests': { status: 429, reason: 'TooManyRequests', retryAfter: 1 },
    '503 ServiceUnavailable': { status: 503, reason: 'ServiceUnavailable' },
    '500 InternalServerError': { status: 500, reason: 'InternalServerError' },
    '502 without the JSON of Apple': { status: 502, body: '<html>Bad Gateway</html>' },
    '410 of before it registered': { status: 410, reason: 'Unregistered', timestamp: Date.now() - 3_600_000 },
  };
  const final: Record<string, ScriptedResponse> = {
    '410 Unregistered': { status: 410, reason: 'Unregistered' },
    '410 ExpiredToken': { status: 410, reason: 'ExpiredToken' },
    'BadDeviceToken, and again for a later change': { status: 400, reason: 'BadDeviceToken' },
  };

  it.each([...Object.keys(passing), 'GOAWAY', 'a connection that is cut', 'a response that never comes'])(
    'the service pushes to a device again after %s',
    ended,
    90_000,
  );

  it.each(Object.keys(final))('the service unregisters a device after %s and gives the reason in the trace', ended);
});

import { repeatWhileBusy } from '@passwright/testing';
import {
  AppleWalletWorld,
  type Held,
  mustBe,
  points,
  pushToken,
  setPoints,
  shown,
  shownField,
  showsPoints,
  trace,
  until,
} from '../support/apple-wallet-world.js';
import type { Account } from '../support/running-service.js';

let world: AppleWalletWorld;

describe('pushes without a minimum pause between them', () => {
  beforeAll(async () => {
    world = await AppleWalletWorld.start();
  });
  afterAll(() => world.stop());

  describe('a certificate that the push service rejects', () => {
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

    const retryNow = (account: Account) =>
      world.sql(
        `UPDATE circuit_breaker SET retry_at = now()
         WHERE fingerprint = (SELECT fingerprint FROM apple_certificate WHERE account_id = $1)`,
        [account.id],
      );

    /** Creates an account with a pass on two phones. The push service rejects the account's certificate from now on. */
    async function rejected(): Promise<[Held, Held]> {
      const account = await world.newAccount();
      await bring(account);
      await world.templatesMarked();
      const { body: issued } = await world.issue(account, 'offer');
      const phones: [Held, Held] = [await world.put(account, issued), await world.put(account, issued)];
      for (const held of phones) world.apns.respond(pushToken(held), { status: 403, reason: 'BadCertificate' });
      await setPoints(phones[0], '1');
      await until(
        () => push(account),
        ({ state }) => state === 'halted',
      );
      return phones;
    }

    const acceptAgain = (phones: Held[]) => {
      for (const held of phones) world.apns.respond(pushToken(held), { status: 200 });
    };

    it('a rejected certificate stops only the pushes of its account; the devices get the change after a renewal', async () => {
      const phones = await rejected();
      const [held] = phones;
      const { account } = held;
      expect(await push(account)).toMatchObject({ reason: expect.stringContaining('BadCertificate') });
      const sent = phones.flatMap((held) => world.statusesOf(held));

      await setPoints(held, '2');
      await world.minutePasses();
      await world.jobsIdle();
      expect(phones.flatMap((held) => world.statusesOf(held))).toEqual(sent);
      const traced = await trace(held);
      expect(traced.push).toMatchObject({ state: 'halted', reason: expect.stringContaining('BadCertificate') });
      expect(traced.devices.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['waiting', 'waiting']);
      expect([...(await world.devicesOf(phones[0].phone)), ...(await world.devicesOf(phones[1].phone))]).toHaveLength(
        2,
      );

      const other = await world.hold(await world.newAccount(), 'offer');
      await setPoints(other, '1');
      await world.nextPush(other.phone);
      expect(shownField(other, 'points')).toBe('1');

      acceptAgain(phones);
      await bring(account);
      await world.minutePasses();
      for (const each of phones) await showsPoints(each, '2');
      expect(await push(account)).toMatchObject({ state: 'on', reason: null });
    });

    it('the service tries a rejected certificate again with one device, and notifies all devices after a success', async () => {
      const phones = await rejected();
      const { account } = phones[0];
      const rejections = phones.flatMap((held) => world.statusesOf(held)).length;
      await retryNow(account);
      await world.minutePasses();
      await until(
        () => phones.flatMap((held) => world.statusesOf(held)),
        ({ length }) => length > rejections,
      );
      await world.jobsIdle();
      expect(phones.flatMap((held) => world.statusesOf(held))).toEqual(new Array(rejections + 1).fill(403));
      expect(await push(account)).toMatchObject({ state: 'halted' });

      acceptAgain(phones);
      await retryNow(account);
      await world.minutePasses();
      for (const each of phones) await showsPoints(each, '1');
      await until(
        () => push(account),
        ({ state }) => state === 'on',
      );
    });
  });

  describe('a push service', () => {
    it('a push service that accepts only one push at a time gets pushes one by one', async () => {
      world.apns.limitStreams(1);
      const account = await world.newAccount();
      const held = await Promise.all(Array.from({ length: 10 }, () => world.hold(account, 'offer')));
      const { rejectedStreams } = world.apns;
      await world.saveTemplate(account, 'offer', { issuerName: 'Difference Engines' });
      for (const each of held) {
        await until(
          () => shown(each).organizationName,
          (name) => name === 'Difference Engines',
        );
      }
      expect(held.flatMap((each) => world.statusesOf(each))).toEqual(new Array(10).fill(200));
      expect(world.apns.rejectedStreams).toBe(rejectedStreams);
    });

    it('the service tries an unreachable push service again, and loses no change', async () => {
      const held = await world.hold(await world.newAccount(), 'offer');
      world.apns.rejectConnections();
      world.apns.dropConnections();
      const { connectionsSeen } = world.apns;
      await setPoints(held, '1');
      await until(
        () => world.apns.connectionsSeen,
        (seen) => seen > connectionsSeen,
      );
      await until(
        () => trace(held),
        ({ devices: [device] }) => device.pushed !== null,
      );
      expect(world.pushesTo(held.phone)).toEqual([]);
      expect((await trace(held)).devices).toEqual([
        expect.objectContaining({ verdict: 'waiting', nextPush: expect.any(String) }),
      ]);
      world.apns.reset();
      await showsPoints(held, '1');
    });
  });
});

describe('a burst of changes', () => {
  const windowSeconds = 3;

  beforeAll(async () => {
    world = await AppleWalletWorld.start({ APPLE_PUSH_WINDOW_SECONDS: String(windowSeconds) });
  });
  afterAll(() => world.stop());

  it('a burst of twenty changes causes two pushes per device, and the second push delivers the last change', async () => {
    const held = await world.hold(await world.newAccount(), 'offer');
    const other = await world.put(held.account, (await held.account.get(held.path)).body);
    const began = Date.now();
    const change = (index: number) => held.account.patch(held.path, points(`early ${index}`));
    const changed = Array.from({ length: 19 }, (_, index) => repeatWhileBusy(() => change(index)));
    for (const response of await Promise.all(changed)) mustBe(200, response);
    await setPoints(held, 'last');
    const tookSeconds = (Date.now() - began) / 1000;
    await showsPoints(held, 'last');
    await showsPoints(other, 'last');
    await world.jobsIdle();

    // Making the changes may take longer than the window. Each further window permits one more push.
    const most = 1 + Math.ceil(tookSeconds / windowSeconds);
    for (const { phone } of [held, other]) {
      const pushes = world.pushesTo(phone).map(({ at }) => at.getTime());
      expect(pushes.length).toBeLessThanOrEqual(most);
      // Count the windows from the first change, because the delay between a change and its push varies.
      for (const [index, at] of pushes.entries())
        expect(at - began).toBeGreaterThanOrEqual(index * windowSeconds * 1000);
    }
  });
});

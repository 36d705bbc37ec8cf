import { repeatWhileBusy } from '@passwright/testing';
import { TestAccount, TestApp } from '../test-app.fixtures.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  account = await app.account();
  await account.template('offer');
});

const rejected = (message: RegExp) => ({
  statusCode: 409,
  code: 'invalid_transition',
  error: 'Conflict',
  message: expect.stringMatching(message),
});

describe('voiding a pass', () => {
  it('voiding a void pass or un-voiding a valid pass changes nothing', async () => {
    const issued = await account.post('offer/ada', {});
    app.clock.advance(5);
    const [first, again] = [await account.post('offer/ada/void'), await account.post('offer/ada/void')];
    expect([first.status, first.body.pass.voided, first.body.pass.updatedAt]).toEqual([
      200,
      true,
      '2026-11-20T10:00:05.000Z',
    ]);
    expect([again.body, again.headers.etag]).toEqual([first.body, first.headers.etag]);

    app.clock.advance(5);
    const live = await account.post('offer/ada/unvoid').expect(200);
    const stillLive = await account.post('offer/ada/unvoid').expect(200);
    expect(live.body.pass).toEqual({ ...issued.body.pass, updatedAt: '2026-11-20T10:00:10.000Z' });
    expect(stillLive.body).toEqual(live.body);
  });

  it('412 precondition_failed for voiding a pass that has changed since the tag was read', async () => {
    const { headers } = await account.post('offer/ada', {});
    const changed = await account.patch('offer/ada', { code: 'NEWER' }).expect(200);
    const { body } = await account.post('offer/ada/void').set('If-Match', headers.etag!).expect(412);
    expect(body.code).toBe('precondition_failed');
    expect((await account.get('offer/ada')).body.pass.voided).toBe(false);
    await account.post('offer/ada/void').set('If-Match', changed.headers.etag!).expect(200);
  });

  it('archiving a template voids its passes, and un-archiving restores those that were not voided individually', async () => {
    await account.post('offer/ada', {});
    await account.post('offer/bob', {});
    await account.post('offer/bob/void').expect(200);
    const voided = async () => {
      const passes = await Promise.all(['ada', 'bob'].map((id) => account.get(`offer/${id}`)));
      return passes.map(({ body }) => body.pass.voided);
    };
    await account.archive('offer');
    expect(await voided()).toEqual([true, true]);
    const { body } = await account.post('offer/bob/unvoid').expect(409);
    expect(body).toEqual(rejected(/"offer" is archived.*un-archive it first/));
    await account.unarchive('offer');
    expect(await voided()).toEqual([false, true]);
  });
});

describe('redeeming a pass', () => {
  it('exactly one of 50 simultaneous redemptions gets 200, and all others get 409', async () => {
    await account.post('offer/ada', {});
    const redeem = () => repeatWhileBusy(() => account.post('offer/ada/redeem'));
    const responses = await Promise.all(Array.from({ length: 50 }, redeem));
    const successes = responses.filter(({ status }) => status === 200);
    const rejections = responses.filter(({ status }) => status === 409);

    expect([successes.length, rejections.length]).toEqual([1, 49]);
    expect(successes[0]!.body.pass).toMatchObject({
      redeemedAt: '2026-11-20T10:00:00.000Z',
      updatedAt: '2026-11-20T10:00:01.000Z',
      voided: false,
    });
    for (const { body } of rejections) {
      expect(body).toEqual(rejected(/^Pass "ada" cannot be redeemed: it was redeemed already, at 2026-11-20T10:00:00/));
    }
  });

  it.each([
    ['is void', { voided: true }, /was voided at 2026-11-20T10:00:00\.000Z/],
    ['has expired', { expiry: '2026-11-20T10:00:00.000Z' }, /expired at 2026-11-20T10:00:00\.000Z/],
    ['is not valid yet', { validFrom: '2026-11-20T10:00:00.001Z' }, /not valid before 2026-11-20T10:00:00\.001Z/],
  ])('409 invalid_transition, without any change, for redeeming a pass that %s', async (_, request, message) => {
    const issued = await account.post('offer/ada', request);
    const { body } = await account.post('offer/ada/redeem').expect(409);
    expect(body).toEqual(rejected(message));
    const read = await account.get('offer/ada');
    expect(read.headers.etag).toBe(issued.headers.etag);
  });

  it('409 invalid_transition for redeeming a pass of an archived template', async () => {
    await account.post('offer/ada', {});
    await account.archive('offer');
    const { body } = await account.post('offer/ada/redeem').expect(409);
    expect(body).toEqual(rejected(/is void, as template "offer" is archived/));
  });

  it('a pass can be redeemed from the exact start of its validity, and an upsert does not undo the redemption', async () => {
    await account.post('offer/ada', { validFrom: '2026-11-20T10:00:00.000Z', expiry: '2026-11-20T10:00:00.001Z' });
    await account.post('offer/ada/redeem').expect(200);
    const { body } = await account.post('offer/ada', {}).expect(200);
    expect(body.pass.redeemedAt).toBe('2026-11-20T10:00:00.000Z');
    await account.post('offer/ada/redeem').expect(409);
  });

  it('a repeated redemption with the same Idempotency-Key gets 200 again', async () => {
    await account.post('offer/ada', {});
    const redeem = () => account.post('offer/ada/redeem').set('Idempotency-Key', 'till-7');
    const responses = await Promise.all([redeem(), redeem(), redeem()]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    await account.post('offer/ada/redeem').set('Idempotency-Key', 'till-8').expect(409);
  });
});

it.each(['void', 'unvoid', 'redeem'])('404 pass_not_found for a request to %s a missing pass', async (step) => {
  const other = await app.account();
  await other.template('offer');
  await other.post('offer/ada', {});
  for (const path of ['offer/ada', 'none/ada', 'offer/a%2Fb', `offer/${'x'.repeat(100)}`]) {
    const { body } = await account.post(`${path}/${step}`).expect(404);
    expect(body.code).toBe('pass_not_found');
  }
});

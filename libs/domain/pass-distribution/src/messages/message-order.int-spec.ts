import { TestApp } from '../test-app.fixtures.js';
import { MessagesWorld } from './messages.fixtures.js';

let app: TestApp;
let world: MessagesWorld;

beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  world = await MessagesWorld.of(app);
  await world.onPhone(await world.issue('ada'));
});

const toAda = async (text: string, body: object = {}) =>
  (await world.post('pass/offer/ada/messages', { text, ...body }).expect(201)).body;
const toAll = async (text: string, body: object = {}) =>
  (await world.post('templates/offer/messages', { text, ...body }).expect(201)).body;
const change = async (step: 'pause' | 'resume' | 'cancel', { id }: { id: string }) =>
  (await world.post(`messages/${id}/${step}`).expect(200)).body;
const later = async (seconds: number) => {
  app.clock.advance(seconds);
  await world.sendDue();
};

describe('the order of messages on a pass', () => {
  it.each([
    ['one pass', 'many passes', toAda, toAll],
    ['many passes', 'one pass', toAll, toAda],
  ])(
    'a message to %s that waits for the phone is replaced by a later message to %s with the same topic',
    async (_, _to, one, two) => {
      const first = await one('Gate C.', { topic: 'gate' });
      await world.sendDue();
      app.clock.advance(1);
      const second = await two('Gate D.', { topic: 'gate' });
      await world.sendDue();
      expect(await world.message(second.id)).toMatchObject({ status: 'scheduled', sendAt: '2026-11-20T10:00:01.000Z' });
      await later(118);
      expect(await world.shown('ada')).toEqual([]);
      await later(1);
      await later(1);
      expect(await world.message(first.id)).toMatchObject({ status: 'sent', progress: { sent: 1 } });
      expect(await world.shown('ada')).toEqual(['Gate D.']);
    },
  );

  it('the pass shows the newest message first, even if earlier messages had to wait for the phone', async () => {
    for (const [text, send] of [['One', toAda] as const, ['Two', toAll] as const, ['Three', toAda] as const]) {
      await send(text);
      await world.sendDue();
      app.clock.advance(1);
    }
    expect(await world.shown('ada')).toEqual([]);
    await later(117);
    await later(1);
    expect(await world.shown('ada')).toEqual(['Three', 'Two', 'One']);
  });

  it('a message does not wait for messages to another pass or for planned messages', async () => {
    await world.issue('bob');
    await toAda('One');
    await world.post('pass/offer/bob/messages', { text: 'Two' }).expect(201);
    expect(await world.shown('bob')).toEqual(['Two']);
    await toAll('Tomorrow', { sendAt: '2026-11-21T10:00:00Z' });
    await later(120);
    expect((await toAda('Three')).status).toBe('sent');
    expect(await world.shown('ada')).toEqual(['Three', 'One']);
  });

  it('a message waits two minutes for the phone, even if a planned message has already prepared the pass', async () => {
    await toAda('Tomorrow', { sendAt: '2026-11-21T10:00:00Z' });
    app.clock.advance(1);
    expect((await toAda('Now')).status).toBe('scheduled');
    await later(118);
    expect(await world.shown('ada')).toEqual([]);
    await later(1);
    expect(await world.shown('ada')).toEqual(['Now']);
  });

  it('a message that replaces a waiting message is sent two minutes after the pass was first prepared', async () => {
    const first = await toAda('Gate C.', { topic: 'gate' });
    app.clock.advance(1);
    await toAda('Gate D.', { topic: 'gate' });
    expect(await world.message(first.id)).toMatchObject({ status: 'superseded' });
    await later(118);
    expect(await world.shown('ada')).toEqual([]);
    await later(1);
    expect(await world.shown('ada')).toEqual(['Gate D.']);
  });

  it('a resumed message skips a pass that meanwhile got a later message with the same topic', async () => {
    const first = await toAll('Gate C.', { topic: 'gate' });
    await world.sendDue();
    await change('pause', first);
    app.clock.advance(180);
    await toAda('Gate D.', { topic: 'gate' });
    await change('resume', first);
    await later(120);
    expect(await world.shown('ada')).toEqual(['Gate D.']);
    expect(await world.message(first.id)).toMatchObject({
      status: 'sent',
      progress: { passes: 1, sent: 0, skipped: [{ reason: 'superseded', passes: 1 }] },
    });
  });
});

describe('a paused message', () => {
  it('a message that is resumed during the preparation of its pass still waits two minutes for the phone', async () => {
    const first = await toAda('Gate C.');
    await change('pause', first);
    expect((await change('resume', first)).status).toBe('scheduled');
    await later(119);
    expect(await world.shown('ada')).toEqual([]);
    await later(1);
    expect(await world.shown('ada')).toEqual(['Gate C.']);
  });

  it('a message does not replace a planned message to other passes with the same topic', async () => {
    const toTier = (tier: string, text: string) => {
      const filter = { fields: [{ key: 'tier', value: tier }] };
      return toAll(text, { topic: 'doors', sendAt: '2026-11-21T10:00:00Z', filter });
    };
    const [gold, blue] = [await toTier('gold', 'Doors at six.'), await toTier('blue', 'Doors at seven.')];
    expect(await world.message(gold.id)).toMatchObject({ status: 'scheduled' });
    await toTier('gold', 'Doors at five.');
    expect(await world.message(gold.id)).toMatchObject({ status: 'superseded' });
    expect(await world.message(blue.id)).toMatchObject({ status: 'scheduled' });
  });

  it('a message replaces an unsent message whose filter has the same values in another order', async () => {
    const [tier, seat] = [
      { key: 'tier', value: 'gold' },
      { key: 'seat', value: 'A1' },
    ];
    const toMany = (filter: object) => toAll('Doors.', { topic: 'doors', sendAt: '2026-11-21T10:00:00Z', filter });
    const first = await toMany({ fields: [tier, seat], states: ['valid', 'expired'], wallets: ['walletA', 'walletB'] });
    const second = await toMany({
      fields: [seat, tier],
      states: ['expired', 'valid'],
      wallets: ['walletB', 'walletA'],
    });
    expect(await world.message(first.id)).toMatchObject({ status: 'superseded' });
    await toMany({ fields: [seat], states: ['expired', 'valid'], wallets: ['walletB', 'walletA'] });
    expect(await world.message(second.id)).toMatchObject({ status: 'scheduled' });
  });

  it('a message replaces a paused, unsent message with the same topic and recipients', async () => {
    const sendAt = '2026-11-21T10:00:00Z';
    const first = await toAda('Gate C.', { topic: 'gate', sendAt });
    await change('pause', first);
    await toAda('Gate D.', { topic: 'gate', sendAt });
    expect(await world.message(first.id)).toMatchObject({ status: 'superseded' });
    await world.post(`messages/${first.id}/resume`).expect(409);
  });
});

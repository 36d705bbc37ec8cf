import { groupingIdOf } from '@passwright/passes';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';
import { GoogleWorld } from '../google-world.fixtures.js';

let app: TestApp;
let world: GoogleWorld;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
  world = new GoogleWorld(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.google.reset();
  account = await app.account();
  await account.template('offer');
  await account.template('event');
  await account.post('offer/car', {}).expect(200);
});

const car = { templateId: 'offer', passId: 'car' };
const ada = { templateId: 'event', passId: 'ada' };
const objectOf = async (passId: string) => app.google.objectOf(await world.serialOf(account, passId));
const idOf = async (passId: string) => `${app.google.issuerId}.${await world.serialOf(account, passId)}`;

it('the object of a pass has its group and place, and loses them when the pass leaves the group', async () => {
  await account.post('event/ada', { group: { id: 'order-1', order: 3 } }).expect(200);
  await world.link(account, 'event/ada').expect(200);
  const groupingId = groupingIdOf(account.id, 'order-1');
  expect(await objectOf('ada')).toMatchObject({ groupingInfo: { groupingId, sortIndex: 3 } });
  expect(groupingIdOf((await app.account()).id, 'order-1')).not.toBe(groupingId);
  await account.patch('event/ada', { group: null }).expect(200);
  await world.send();
  expect(await objectOf('ada')).not.toHaveProperty('groupingInfo');
  expect(app.google.writes.at(-1)!.owned).toContain('groupingInfo');
});

it('the service writes a pass, then its linked passes, and links them once Google has them', async () => {
  await account.post('event/ada', { linkedPasses: [car] }).expect(200);
  await world.link(account, 'event/ada').expect(200);
  expect(await objectOf('ada')).not.toHaveProperty('linkedObjectIds');
  app.google.result = ({ body }) => {
    for (const id of (body.linkedObjectIds ?? []) as string[]) if (!app.google.held.has(id)) throw new Error('absent');
    return {};
  };
  await world.send();
  expect(await objectOf('car')).toMatchObject({ state: 'ACTIVE' });
  expect(await objectOf('ada')).toMatchObject({ linkedObjectIds: [await idOf('car')] });
  const { length } = app.google.writes;
  await world.send();
  expect(app.google.writes).toHaveLength(length);
});

it('the service links a pass at once to an object that Google has', async () => {
  await world.link(account, 'offer/car').expect(200);
  await account.post('event/ada', { linkedPasses: [car] }).expect(200);
  await world.link(account, 'event/ada').expect(200);
  expect(await objectOf('ada')).toMatchObject({ linkedObjectIds: [await idOf('car')] });
});

it('two passes that link to each other both come to Google, with both links', async () => {
  await account.post('event/ada', { linkedPasses: [car] }).expect(200);
  await account.patch('offer/car', { linkedPasses: [ada] }).expect(200);
  await world.link(account, 'event/ada').expect(200);
  await world.send();
  expect(await objectOf('ada')).toMatchObject({ linkedObjectIds: [await idOf('car')] });
  expect(await objectOf('car')).toMatchObject({ linkedObjectIds: [await idOf('ada')] });
});

it('a linked pass that Google rejects does not keep the pass that links to it from holders', async () => {
  app.google.result = ({ body }) =>
    String(body.classId).includes('offer_') ? { outcome: 'rejected', status: 400, reason: 'invalid' } : {};
  await account.post('event/ada', { linkedPasses: [car] }).expect(200);
  await world.link(account, 'event/ada').expect(200);
  await world.send();
  expect(await objectOf('ada')).not.toHaveProperty('linkedObjectIds');
  expect(await world.rows(account)).toHaveLength(4);
  app.google.result = () => ({});
  await account.patch('offer/car', { code: 'NEW' }).expect(200);
  await world.send();
  expect(await objectOf('ada')).toMatchObject({ linkedObjectIds: [await idOf('car')] });
});

it('the object has the new object of a linked pass that was deleted and issued again, and no deleted one', async () => {
  await account.post('event/ada', { linkedPasses: [car] }).expect(200);
  await world.link(account, 'event/ada').expect(200);
  await world.send();
  await account.delete('offer/car').expect(204);
  await account.patch('event/ada', { code: 'NEW' }).expect(200);
  await world.send();
  expect(await objectOf('ada')).not.toHaveProperty('linkedObjectIds');
  // Google does not take links back, so an update never clears them.
  expect(app.google.writes.at(-1)!.owned).not.toContain('linkedObjectIds');
  await account.post('offer/car', {}).expect(200);
  await world.link(account, 'offer/car').expect(200);
  await world.send();
  expect(await objectOf('ada')).toMatchObject({ linkedObjectIds: [await idOf('car')] });
});

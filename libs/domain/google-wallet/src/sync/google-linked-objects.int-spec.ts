import { Database } from '@passwright/database';
import { groupingIdOf } from '@passwright/passes';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';
import { GoogleWorld, running } from '../google-world.fixtures.js';
import { ChangedResourcesRepository } from './changed-resources.repository.js';
import { GoogleSyncQueue } from './google-sync-queue.handlers.js';
import { LinkingObjectsToMark } from './google.jobs.js';

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
/** Writes everything that is due to Google. Then does the same for the objects that link to the sent objects. */
const sendAll = async () => {
  await world.send();
  await world.markLinking(account);
  await world.send();
};
const objectOf = async (passId: string) => app.google.objectOf(await world.serialOf(account, passId));
const idOf = async (passId: string) => `${app.google.issuerId}.${await world.serialOf(account, passId)}`;

it('the object of a pass names the pass’s group and the position in it until the pass leaves the group', async () => {
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

it('the service writes a pass first, then its linked passes, and then the links', async () => {
  await account.post('event/ada', { linkedPasses: [car] }).expect(200);
  await world.link(account, 'event/ada').expect(200);
  expect(await objectOf('ada')).not.toHaveProperty('linkedObjectIds');
  app.google.result = ({ body }) => {
    for (const id of (body.linkedObjectIds ?? []) as string[]) if (!app.google.held.has(id)) throw new Error('absent');
    return {};
  };
  await sendAll();
  expect(await objectOf('car')).toMatchObject({ state: 'ACTIVE' });
  expect(await objectOf('ada')).toMatchObject({ linkedObjectIds: [await idOf('car')] });
  const { length } = app.google.writes;
  await sendAll();
  expect(app.google.writes).toHaveLength(length);
});

it('the service adds a link immediately if Google already has the linked pass', async () => {
  await world.link(account, 'offer/car').expect(200);
  await account.post('event/ada', { linkedPasses: [car] }).expect(200);
  await world.link(account, 'event/ada').expect(200);
  expect(await objectOf('ada')).toMatchObject({ linkedObjectIds: [await idOf('car')] });
});

it('Google gets two passes that link to each other, with both links', async () => {
  await account.post('event/ada', { linkedPasses: [car] }).expect(200);
  await account.patch('offer/car', { linkedPasses: [ada] }).expect(200);
  await world.link(account, 'event/ada').expect(200);
  await sendAll();
  expect(await objectOf('ada')).toMatchObject({ linkedObjectIds: [await idOf('car')] });
  expect(await objectOf('car')).toMatchObject({ linkedObjectIds: [await idOf('ada')] });
});

it('Google gets a pass even if it rejects one of the linked passes', async () => {
  app.google.result = ({ body }) =>
    String(body.classId).includes('offer_') ? { outcome: 'rejected', status: 400, reason: 'invalid' } : {};
  await account.post('event/ada', { linkedPasses: [car] }).expect(200);
  await world.link(account, 'event/ada').expect(200);
  await sendAll();
  expect(await objectOf('ada')).not.toHaveProperty('linkedObjectIds');
  expect(await world.rows(account)).toHaveLength(4);
  app.google.result = () => ({});
  await account.patch('offer/car', { code: 'NEW' }).expect(200);
  await sendAll();
  expect(await objectOf('ada')).toMatchObject({ linkedObjectIds: [await idOf('car')] });
});

it('the object links neither to a deleted pass nor to a new pass with the same id', async () => {
  await account.post('event/ada', { linkedPasses: [car] }).expect(200);
  await world.link(account, 'event/ada').expect(200);
  await sendAll();
  await account.delete('offer/car').expect(204);
  await account.patch('event/ada', { code: 'NEW' }).expect(200);
  await sendAll();
  expect(await objectOf('ada')).not.toHaveProperty('linkedObjectIds');
  // Updates never clear links, because Google cannot remove them.
  expect(app.google.writes.at(-1)!.owned).not.toContain('linkedObjectIds');
  await account.post('offer/car', {}).expect(200);
  await world.link(account, 'offer/car').expect(200);
  await account.patch('event/ada', { code: 'NEWER', linkedPasses: [car] }).expect(200);
  await sendAll();
  expect(await objectOf('ada')).not.toHaveProperty('linkedObjectIds');
  await account.patch('event/ada', { linkedPasses: null }).expect(200);
  await account.patch('event/ada', { linkedPasses: [car] }).expect(200);
  await sendAll();
  expect(await objectOf('ada')).toMatchObject({ linkedObjectIds: [await idOf('car')] });
});

it('Google gets the links of a linked pass only after a holder has requested that pass', async () => {
  await account.post('offer/end', {}).expect(200);
  await account.patch('offer/car', { linkedPasses: [{ templateId: 'offer', passId: 'end' }] }).expect(200);
  await account.post('event/ada', { linkedPasses: [car] }).expect(200);
  await world.link(account, 'event/ada').expect(200);
  await sendAll();
  await account.patch('offer/car', { code: 'NEW' }).expect(200);
  await sendAll();
  expect(await objectOf('ada')).toMatchObject({ linkedObjectIds: [await idOf('car')] });
  expect(await objectOf('end')).toBeUndefined();
  await world.link(account, 'offer/car').expect(200);
  await sendAll();
  expect(await objectOf('end')).toMatchObject({ state: 'ACTIVE' });
  expect(await objectOf('car')).toMatchObject({ linkedObjectIds: [await idOf('end')] });
  const { length } = app.google.writes;
  await world.link(account, 'offer/car').expect(200);
  await sendAll();
  expect(app.google.writes).toHaveLength(length);
});

it('Google gets a linked pass with its own links if a holder requests that pass before Google has it', async () => {
  await account.post('offer/end', {}).expect(200);
  await account.patch('offer/car', { linkedPasses: [{ templateId: 'offer', passId: 'end' }] }).expect(200);
  await account.post('event/ada', { linkedPasses: [car] }).expect(200);
  await world.link(account, 'event/ada').expect(200);
  await world.link(account, 'offer/car').expect(200);
  await sendAll();
  expect(await objectOf('car')).toMatchObject({ linkedObjectIds: [await idOf('end')] });
});

describe('many passes that link to one pass', () => {
  const linking = 1200;
  const dueOf = async () =>
    app
      .get(Database)
      .reads.query<{ id: string }[]>(
        `SELECT id FROM google_resource WHERE account_id = $1 AND id LIKE 'l%' AND due_at IS NOT NULL`,
        [account.id],
      );
  const mark = (after: string, context = running()) =>
    world
      .serialOf(account, 'car')
      .then((serialNumber) =>
        app.get(GoogleSyncQueue).markLinking({ accountId: account.id, serialNumber, after }, context),
      );

  beforeEach(async () => {
    await account.post('event/ada', { linkedPasses: [car] }).expect(200);
    const { reads } = app.get(Database);
    await reads.query(
      `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
        metadata, version, created_at, updated_at, linked_passes)
       SELECT account_id, template_id, template_type, 'l' || n, 'l' || n || account_id, 'l' || n, '[]', '[]', '[]', '{}', 1,
         created_at, created_at, linked_passes
       FROM pass, generate_series(1, $2::integer) n WHERE account_id = $1 AND id = 'ada'`,
      [account.id, linking],
    );
    await reads.query(
      `INSERT INTO google_resource (account_id, issuer_id, id, template_id, type, serial_number, sent_hash, created_at)
       SELECT $1, $3, 'l' || n, 'event', 'event', 'l' || n || $1, '\\x00', now()
       FROM generate_series(1, $2::integer) n`,
      [account.id, linking, app.google.issuerId],
    );
  });

  it('storing a linked object adds a job that marks the linking objects as changed later', async () => {
    await world.link(account, 'offer/car').expect(200);
    expect(await dueOf()).toEqual([]);
    const serialNumber = await world.serialOf(account, 'car');
    expect(await world.jobs(LinkingObjectsToMark.task, account.id)).toMatchObject([
      { payload: { accountId: account.id, serialNumber, after: '' } },
    ]);
    await mark('');
    expect(await dueOf()).toHaveLength(linking);
  });

  it('the job marks the linking objects in batches, and another job continues after the process stops', async () => {
    const abort = new AbortController();
    const { markPasses } = ChangedResourcesRepository.prototype;
    const sizes: number[] = [];
    jest.spyOn(app.get(ChangedResourcesRepository), 'markPasses').mockImplementation(function (this: never, ...args) {
      sizes.push(args[1].length);
      abort.abort();
      return markPasses.apply(app.get(ChangedResourcesRepository), args);
    });
    await mark('', abort);
    jest.restoreAllMocks();
    expect(sizes).toEqual([500]);
    // The pass of `beforeEach` may be the first of the linking passes, and has no object.
    expect([499, 500]).toContain((await dueOf()).length);
    const [left] = await world.jobs(LinkingObjectsToMark.task, account.id);
    await mark((left!.payload as LinkingObjectsToMark['payload']).after);
    expect(await dueOf()).toHaveLength(linking);
  });

  it('storing an object does not add a job if no pass links to the object', async () => {
    await account.post('offer/other', {}).expect(200);
    await world.link(account, 'offer/other').expect(200);
    expect(await world.jobs(LinkingObjectsToMark.task, account.id)).toEqual([]);
  });
});

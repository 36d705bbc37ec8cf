import { setTimeout as pause } from 'node:timers/promises';
import { BillingService } from '@passwright/billing';
import { AppError, ValidationFailed } from '@passwright/core';
import { Database } from '@passwright/database';
import { ImagesService } from '@passwright/images';
import { Template, TemplatesService } from '@passwright/templates';
import { PassesRepository } from '../passes/passes.repository.js';
import { PassesService } from '../passes/passes.service.js';
import { type TestAccount, TestApp } from '../test-app.fixtures.js';
import { PassBatchesService, type PassLine } from './pass-batches.service.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
  await account.template('offer');
});
afterEach(() => jest.restoreAllMocks());

const ids = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`);
async function checked(lines: object[]): Promise<PassLine[]> {
  const read = await app.get(PassBatchesService).read(account.id, 'offer', lines);
  return read.filter((line): line is PassLine => !(line instanceof AppError));
}
async function issued(lines: PassLine[], existing: 'error' | 'skip' = 'error') {
  const outcomes = await app.get(PassBatchesService).issue(account.id, 'offer', lines, { existing });
  return outcomes.map((outcome) =>
    outcome instanceof AppError ? outcome.code : `${outcome.id}${outcome.existing ? ' existing' : ''}`,
  );
}
const issueAll = async (lines: object[], existing?: 'error' | 'skip') => issued(await checked(lines), existing);

describe('a batch of a thousand lines', () => {
  it('a batch is issued in one transaction', async () => {
    const transactions = jest.spyOn(app.get(Database), 'transaction');
    expect(await issueAll(ids(1000).map((id) => ({ id })))).toEqual(ids(1000));
    expect(transactions).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['error', 'pass_exists', 'pass_exists'],
    ['skip', 'p0 existing', 'p999 existing'],
  ] as const)(
    'a batch with existing=%s finds all existing passes in one transaction',
    async (existing, first, last) => {
      await issueAll(ids(1000).map((id) => ({ id })));
      const [transactions, alone] = [
        jest.spyOn(app.get(Database), 'transaction'),
        jest.spyOn(app.get(PassesService), 'create'),
      ];
      const outcomes = await issueAll(
        [...ids(1000), 'new'].map((id) => ({ id })),
        existing,
      );
      expect([outcomes[0], outcomes[999], outcomes[1000]]).toEqual([first, last, 'new']);
      expect(transactions).toHaveBeenCalledTimes(1);
      expect(alone).not.toHaveBeenCalled();
    },
  );

  it('a batch above the limit issues the first passes up to the limit, in few transactions', async () => {
    await app.get(BillingService).set(account.id, { maxPassCreations: 637 });
    const transactions = jest.spyOn(app.get(Database), 'transaction');
    expect(await issueAll(ids(1000).map((id) => ({ id })))).toEqual([
      ...ids(637),
      ...Array<string>(363).fill('limit_exceeded'),
    ]);
    expect(transactions.mock.calls.length).toBeLessThan(30);
  });
});

it('a batch rejects lines that the template no longer allows since they were checked', async () => {
  const field = (key: string) => ({ key, label: 'L', value: 'V' });
  const lines = await checked([{ id: 'a', fields: ['a', 'b'].map(field) }, { id: 'b' }]);
  const changes = { fields: ['c', 'd', 'e'].map(field), revision: 2 };
  await app.get(Database).reads.update(Template, { accountId: account.id, id: 'offer' }, changes);
  expect(await issued(lines)).toEqual(['validation_failed', 'b']);
});

describe('batches at the same time', () => {
  /**
   * Issues a thousand lines in one order and in the reverse. Both batches wait at the pass in the middle, and go on at the
   * same time.
   */
  async function fromBothEnds(lineOf: (name: string, batch: number) => object): Promise<string[]> {
    await issueAll([lineOf('p500', 0)]);
    let issuing: Promise<string[]>[] = [];
    const names = ids(1000);
    await app.get(Database).transaction(async (tx) => {
      await tx.query('DELETE FROM pass WHERE account_id = $1', [account.id]);
      issuing = [names, [...names].reverse()].map((some, batch) =>
        issueAll(
          some.map((name) => lineOf(name, batch)),
          'skip',
        ),
      );
      const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while ((await app.get(Database).reads.query<unknown[]>(sql)).length < 2) await pause(5);
    });
    return (await Promise.all(issuing)).flat();
  }

  it('two batches with the same ids in reverse order create each pass once, at the first attempt', async () => {
    const attempts = jest.spyOn(app.get(TemplatesService), 'lockForIssue');
    const outcomes = await fromBothEnds((id) => ({ id }));
    expect(attempts).toHaveBeenCalledTimes(3);
    expect(outcomes).toHaveLength(2000);
    expect(outcomes.filter((outcome) => !outcome.endsWith(' existing')).sort()).toEqual(ids(1000).sort());
  });

  it('two batches with the same codes in reverse order create one pass for each code', async () => {
    const outcomes = await fromBothEnds((code, batch) => ({ id: `${code}-${batch}`, code }));
    expect(outcomes.filter((outcome) => outcome !== 'pass_exists')).toHaveLength(1000);
    expect(outcomes.filter((outcome) => !/^p\d+-\d$|^pass_exists$/.test(outcome))).toEqual([]);
  });

  it('a batch that conflicts again and again is issued in parts', async () => {
    const conflict = Object.assign(new Error('deadlock detected'), { code: '40P01' });
    const repository = app.get(PassesRepository);
    const insert = repository.insertNew.bind(repository);
    jest
      .spyOn(repository, 'insertNew')
      .mockImplementation((tx, passes) => (passes.length > 5 ? Promise.reject(conflict) : insert(tx, passes)));
    expect(await issueAll(ids(20).map((id) => ({ id })))).toEqual(ids(20));
  });
});

describe('lines with images', () => {
  const photos = (names: string[]) =>
    names.map((id) => ({ id, primaryValue: 'Ada', thumbnail: `https://photos.example/${id}.png` }));
  /** Makes every fetch of an image fail. Returns the spy that counts them. */
  const fetches = () =>
    jest.spyOn(app.get(ImagesService), 'prepare').mockRejectedValue(new ValidationFailed(['no image']));
  const read = async (lines: object[]) => {
    const result = await app.get(PassBatchesService).read(account.id, 'generic', lines);
    return result.filter((line): line is PassLine => !(line instanceof AppError));
  };
  const issue = (lines: PassLine[]) =>
    app.get(PassBatchesService).issue(account.id, 'generic', lines, { existing: 'skip' });
  beforeEach(() => account.template('generic'));

  it('a batch issues twenty lines with images at a time, and no later line before them', async () => {
    const fetched = fetches();
    const lines = await read([...photos(ids(30)), { id: 'last', primaryValue: 'Ada' }]);
    expect(await issue(lines)).toHaveLength(20);
    expect(fetched).toHaveBeenCalledTimes(20);
    expect(await issue(lines.slice(20))).toHaveLength(11);
  });

  it('a batch that is sent again fetches no image for a pass that exists', async () => {
    await issue(await read(ids(30).map((id) => ({ id, primaryValue: 'Ada' }))));
    const fetched = fetches();
    expect(await issue(await read(photos(ids(20))))).toMatchObject(ids(20).map((id) => ({ id, existing: true })));
    expect(fetched).not.toHaveBeenCalled();
  });

  it('a line with an image comes before a later line with its id', async () => {
    jest.spyOn(app.get(ImagesService), 'prepare').mockResolvedValue(null as never);
    const lines = await read([...photos(['x']), { id: 'x', primaryValue: 'Second' }]);
    const outcomes = await issue(lines);
    expect(outcomes).toMatchObject([{ id: 'x' }, { id: 'x', existing: true }]);
    expect(outcomes[0]).not.toHaveProperty('existing');
  });
});

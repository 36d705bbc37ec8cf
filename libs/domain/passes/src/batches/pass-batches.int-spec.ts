import { setTimeout as pause } from 'node:timers/promises';
import { BillingService } from '@passwright/billing';
import { AppError, ValidationFailed } from '@passwright/core';
import { Database } from '@passwright/database';
import { ImagesService } from '@passwright/images';
import { Template, TemplatesService } from '@passwright/templates';
import { lockWaitsSql } from '@passwright/testing';
import fc from 'fast-check';
import { PassesRepository } from '../passes/passes.repository.js';
import { PassesService } from '../passes/passes.service.js';
import { type TestAccount, TestApp } from '../test-app.fixtures.js';
import { PassBatchesService, type PassLine } from './pass-batches.service.js';

// Some tests issue batches hundreds of times, which takes long on a busy machine.
jest.setTimeout(120_000);

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
  return outcomes.map((outcome) => {
    if (outcome instanceof Error) return outcome instanceof AppError ? outcome.code : outcome.message;
    return `${outcome.id}${outcome.existing ? ' existing' : ''}`;
  });
}
const issueAll = async (lines: object[], existing?: 'error' | 'skip') => issued(await checked(lines), existing);

describe('a batch of a thousand lines', () => {
  it('a batch of a thousand lines is issued in one transaction', async () => {
    const transactions = jest.spyOn(app.get(Database), 'transaction');
    expect(await issueAll(ids(1000).map((id) => ({ id })))).toEqual(ids(1000));
    expect(transactions).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['error', 'pass_exists', 'pass_exists'],
    ['skip', 'p0 existing', 'p999 existing'],
  ] as const)(
    'a batch with existing="%s" finds all existing passes in one transaction',
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

  it('a batch needs one transaction if all its codes are taken, and two if all its lines have the same code', async () => {
    await issueAll(ids(500).map((code) => ({ code })));
    const [transactions, alone] = [
      jest.spyOn(app.get(Database), 'transaction'),
      jest.spyOn(app.get(PassesService), 'create'),
    ];
    const lines = ids(500).map((code) => ({ id: `other-${code}`, code }));
    expect(await issueAll(lines, 'skip')).toEqual(Array<string>(500).fill('pass_exists'));
    expect(transactions).toHaveBeenCalledTimes(1);
    const repeated = Array.from({ length: 500 }, () => ({ code: 'once' }));
    expect((await issueAll(repeated)).slice(1)).toEqual(Array<string>(499).fill('pass_exists'));
    expect(transactions).toHaveBeenCalledTimes(3);
    expect(alone).not.toHaveBeenCalled();
  });

  it('a batch above the limit issues passes up to the limit in few transactions', async () => {
    await app.get(BillingService).set(account.id, { maxPassCreations: 637 });
    const transactions = jest.spyOn(app.get(Database), 'transaction');
    expect(await issueAll(ids(1000).map((id) => ({ id })))).toEqual([
      ...ids(637),
      ...Array<string>(363).fill('limit_exceeded'),
    ]);
    expect(transactions.mock.calls.length).toBeLessThan(30);
  });
});

describe('a batch that is issued only in part', () => {
  const errors = [
    new Error('defect'),
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }),
  ];
  const newAccount = async (maxPassCreations?: number) => {
    account = await app.account();
    await account.template('offer');
    if (maxPassCreations !== undefined) await app.get(BillingService).set(account.id, { maxPassCreations });
  };

  it('a batch returns a pass for a line only if the pass exists afterwards, whichever transaction fails', async () => {
    const line = fc.record(
      { id: fc.nat(15).map((n) => `p${n}`), code: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f') },
      { requiredKeys: ['id'] },
    );
    const lines = fc.array(line, { minLength: 1, maxLength: 30 });
    const limits = fc.integer({ min: 1, max: 20 });
    const failures = fc.integer({ min: 1, max: 10 });
    await fc.assert(
      fc.asyncProperty(lines, limits, failures, fc.constantFrom(...errors), async (some, limit, failing, error) => {
        await newAccount(limit);
        const database = app.get(Database);
        const transaction = database.transaction.bind(database);
        let begun = 0;
        const spy = jest
          .spyOn(database, 'transaction')
          .mockImplementation((work) => (++begun === failing ? Promise.reject(error) : transaction(work)));
        const outcomes = await issueAll(some, 'skip').catch(() => []);
        spy.mockRestore();
        const rows = await database.reads.query<{ id: string }[]>('SELECT id FROM pass WHERE account_id = $1', [
          account.id,
        ]);
        expect(outcomes.filter((outcome) => /^p\d+$/.test(outcome)).sort()).toEqual(rows.map(({ id }) => id).sort());
      }),
      { numRuns: 40 },
    );
  });

  it('each line of a batch gets the same result as a batch with only this line, even above the limit', async () => {
    const pass = fc.record({ id: fc.nat(19).map((n) => `p${n}`), code: fc.nat(19).map((n) => `c${n}`) });
    const passes = fc.uniqueArray(pass, { maxLength: 12, comparator: (a, b) => a.id === b.id || a.code === b.code });
    const choice = fc.constantFrom('error' as const, 'skip' as const);
    await fc.assert(
      fc.asyncProperty(passes, passes, fc.nat(6), choice, async (before, lines, room, existing) => {
        const begin = async () => {
          await newAccount(Math.max(1, before.length + room));
          await issueAll(before);
        };
        await begin();
        const alone: string[] = [];
        for (const line of lines) alone.push(...(await issueAll([line], existing)));
        await begin();
        expect(lines.length === 0 ? [] : await issueAll(lines, existing)).toEqual(alone);
      }),
      { numRuns: 30 },
    );
  });

  it('a batch finds existing passes even if earlier lines exceeded the limit', async () => {
    await newAccount(2);
    await issueAll([{ id: 'p0' }, { id: 'p1' }]);
    const lines = ['p0', 'new', 'p1', 'newer'].map((id) => ({ id }));
    expect(await issueAll(lines, 'skip')).toEqual(['p0 existing', 'limit_exceeded', 'p1 existing', 'limit_exceeded']);
    expect(await issueAll(lines)).toEqual(['pass_exists', 'limit_exceeded', 'pass_exists', 'limit_exceeded']);
  });
});

it('a batch rejects a line if the template changes after the check and no longer allows the line', async () => {
  const field = (key: string) => ({ key, label: 'L', value: 'V' });
  const lines = await checked([{ id: 'a', fields: ['a', 'b'].map(field) }, { id: 'b' }]);
  const changes = { fields: ['c', 'd', 'e'].map(field), revision: 2 };
  await app.get(Database).reads.update(Template, { accountId: account.id, id: 'offer' }, changes);
  expect(await issued(lines)).toEqual(['validation_failed', 'b']);
});

describe('batches at the same time', () => {
  /**
   * Issues the same thousand lines in two simultaneous batches, one of them in reverse order. Both wait at the middle
   * pass, and then continue.
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
      while ((await app.get(Database).reads.query<unknown[]>(lockWaitsSql)).length < 2) await pause(5);
    });
    return (await Promise.all(issuing)).flat();
  }

  it('two batches with the same ids in reverse order create each pass once, without another attempt', async () => {
    const attempts = jest.spyOn(app.get(TemplatesService), 'lockForIssue');
    const outcomes = await fromBothEnds((id) => ({ id }));
    expect(attempts).toHaveBeenCalledTimes(3);
    expect(outcomes).toHaveLength(2000);
    expect(outcomes.filter((outcome) => !outcome.endsWith(' existing')).sort()).toEqual(ids(1000).sort());
  });

  it('two batches with the same ids do not deadlock, even if only one batch has codes', async () => {
    const attempts = jest.spyOn(app.get(TemplatesService), 'lockForIssue');
    const codeOf = (id: string) => `c${String(999 - Number(id.slice(1))).padStart(3, '0')}`;
    const outcomes = await fromBothEnds((id, batch) => ({ id, ...(batch === 0 && { code: codeOf(id) }) }));
    expect(attempts).toHaveBeenCalledTimes(3);
    expect(outcomes.filter((outcome) => !outcome.endsWith(' existing')).sort()).toEqual(ids(1000).sort());
  });

  it('two batches with the same codes in reverse order create one pass for each code', async () => {
    const outcomes = await fromBothEnds((code, batch) => ({ id: `${code}-${batch}`, code }));
    expect(outcomes.filter((outcome) => outcome !== 'pass_exists')).toHaveLength(1000);
    expect(outcomes.filter((outcome) => !/^p\d+-\d$|^pass_exists$/.test(outcome))).toEqual([]);
  });

  it.each([
    ['conflicts repeatedly', '40P01'],
    ['takes too long', '57014'],
  ])('the service issues a batch in parts if its statement %s', async (_, code) => {
    const conflict = Object.assign(new Error('one statement for too many lines'), { code });
    const repository = app.get(PassesRepository);
    const insert = repository.insertNew.bind(repository);
    jest
      .spyOn(repository, 'insertNew')
      .mockImplementation((tx, passes) => (passes.length > 5 ? Promise.reject(conflict) : insert(tx, passes)));
    expect(await issueAll(ids(20).map((id) => ({ id })))).toEqual(ids(20));
  });
});

it('a batch that waits for a locked row fails after three timeouts', async () => {
  const late = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  const lock = jest.spyOn(app.get(TemplatesService), 'lockForIssue').mockRejectedValue(late);
  await expect(issueAll(ids(1000).map((id) => ({ id })))).rejects.toBe(late);
  expect(lock).toHaveBeenCalledTimes(3);
});

describe('lines with images', () => {
  const photos = (names: string[]) =>
    names.map((id) => ({ id, primaryValue: 'Ada', thumbnail: `https://photos.example/${id}.png` }));
  /** Makes every image fetch fail. Returns a spy that counts the fetches. */
  const fetches = () =>
    jest.spyOn(app.get(ImagesService), 'prepare').mockRejectedValue(new ValidationFailed(['no image']));
  const read = async (lines: object[]) => {
    const result = await app.get(PassBatchesService).read(account.id, 'generic', lines);
    return result.filter((line): line is PassLine => !(line instanceof AppError));
  };
  const issue = (lines: PassLine[]) =>
    app.get(PassBatchesService).issue(account.id, 'generic', lines, { existing: 'skip' });
  beforeEach(() => account.template('generic'));

  it('one call issues at most twenty lines with images, and leaves all later lines to the next calls', async () => {
    const fetched = fetches();
    const lines = await read([...photos(ids(30)), { id: 'last', primaryValue: 'Ada' }]);
    expect(await issue(lines)).toHaveLength(20);
    expect(fetched).toHaveBeenCalledTimes(20);
    expect(await issue(lines.slice(20))).toHaveLength(10);
    expect(await issue(lines.slice(30))).toHaveLength(1);
  });

  it('a batch that is sent again does not fetch images for existing passes', async () => {
    await issue(await read(ids(30).map((id) => ({ id, primaryValue: 'Ada' }))));
    const fetched = fetches();
    expect(await issue(await read(photos(ids(20))))).toMatchObject(ids(20).map((id) => ({ id, existing: true })));
    expect(fetched).not.toHaveBeenCalled();
  });

  it('a line with an image is issued before a later line with the same id', async () => {
    jest.spyOn(app.get(ImagesService), 'prepare').mockResolvedValue(null as never);
    const lines = await read([...photos(['x']), { id: 'x', primaryValue: 'Second' }]);
    const outcomes = [...(await issue(lines)), ...(await issue(lines.slice(1)))];
    expect(outcomes).toMatchObject([{ id: 'x' }, { id: 'x', existing: true }]);
    expect(outcomes[0]).not.toHaveProperty('existing');
  });

  it('a line with an image counts towards the limit before a later line without an image', async () => {
    jest.spyOn(app.get(ImagesService), 'prepare').mockResolvedValue(null as never);
    await app.get(BillingService).set(account.id, { maxPassCreations: 1 });
    const lines = await read([...photos(['x']), { id: 'y', primaryValue: 'Second' }]);
    expect(await issue(lines)).toMatchObject([{ id: 'x' }]);
    expect(await issue(lines.slice(1))).toMatchObject([{ code: 'limit_exceeded' }]);
  });

  it('an error in a line with an image does not affect the other lines', async () => {
    const defect = new Error('defect');
    jest
      .spyOn(app.get(ImagesService), 'prepare')
      .mockResolvedValue(null as never)
      .mockRejectedValueOnce(defect);
    expect(await issue(await read(photos(['x', 'y'])))).toMatchObject([defect, { id: 'y' }]);
  });
});

import { Job } from './job.js';
import { additionsOf } from './queue-additions.js';

class Look extends Job<{ readonly name: string }> {
  static readonly task: string = 'test.look';
  static readonly runsAtEarliest: boolean = true;

  constructor(
    name: string,
    override readonly key?: string,
    override readonly runAt?: Date,
  ) {
    super({ name });
  }
}

class Errand extends Look {
  static override readonly task = 'test.errand';
  static override readonly runsAtEarliest = false;
}

const [early, late] = [new Date(1000), new Date(2000)];

/** Returns the payloads and times of all additions, and whether they run at the earliest time. */
const added = (...jobs: Job[]) =>
  additionsOf(jobs).flatMap(({ specs, atEarliest }) =>
    specs.map((spec) => {
      const { payload, run_at: at } = spec as { readonly payload: { readonly name: string }; readonly run_at?: Date };
      return [payload.name, at, atEarliest];
    }),
  );

it('the last of several planned jobs with one key counts, at the earliest of their times', () => {
  expect(added(new Look('first', 'key', early), new Look('last', 'key', late))).toEqual([['last', early, true]]);
  expect(added(new Look('first', 'key', late), new Look('last', 'key', early))).toEqual([['last', early, true]]);
});

it('the last of several jobs with one key counts, and runs immediately if one of them has no time', () => {
  expect(added(new Look('first', 'key'), new Look('last', 'key', late))).toEqual([['last', undefined, false]]);
  expect(added(new Look('first', 'key', late), new Look('last', 'key'))).toEqual([['last', undefined, false]]);
});

it('the last of several jobs with one key keeps its own time if its class does not run at the earliest time', () => {
  expect(added(new Errand('first', 'key', early), new Errand('last', 'key', late))).toEqual([['last', late, false]]);
});

it('planned jobs with different keys or without a key keep their own times', () => {
  const jobs = [new Look('a', 'a', late), new Look('b', 'b', early), new Look('c', undefined, late), new Look('d')];
  expect(added(...jobs)).toEqual([
    ['d', undefined, false],
    ['c', late, true],
    ['a', late, true],
    ['b', early, true],
  ]);
});

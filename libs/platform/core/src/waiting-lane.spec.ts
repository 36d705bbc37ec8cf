import { Lane, type Waiting } from './waiting-lane.js';

const entry = (): Waiting => ({ start: () => undefined, reject: () => undefined });

it('Lane starts tasks that return from a wait before new tasks, and both kinds in order of arrival', () => {
  const [fresh, later, returning, next] = [entry(), entry(), entry(), entry()];
  const lane = new Lane();
  lane.add(fresh, false);
  lane.add(returning, true);
  lane.add(later, false);
  lane.add(next, true);
  const turns: (Waiting | undefined)[] = [];
  while (lane.size > 0) {
    const { next: first } = lane;
    turns.push(first);
    if (!first || !lane.delete(first)) break;
  }
  expect(turns.map((turn) => [returning, next, fresh, later].indexOf(turn!))).toEqual([0, 1, 2, 3]);
});

it('Lane returns the newest of the new tasks as its last task, and a returning task only if no new task waits', () => {
  const [fresh, returning] = [entry(), entry()];
  const lane = new Lane();
  lane.add(fresh, false);
  lane.add(returning, true);
  expect(lane.last).toBe(fresh);
  lane.delete(fresh);
  expect(lane.last).toBe(returning);
  lane.delete(returning);
  expect([lane.last, lane.next, lane.size]).toEqual([undefined, undefined, 0]);
});

it('Lane reports that it does not hold a task, so that a task is never counted twice', () => {
  const [task, lane] = [entry(), new Lane()];
  lane.add(task, true);
  expect([lane.delete(task), lane.delete(task), lane.delete(entry())]).toEqual([true, false, false]);
});

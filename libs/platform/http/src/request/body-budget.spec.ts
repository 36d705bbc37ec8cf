import { NotReady, RateLimited } from '@passwright/core';
import fc from 'fast-check';
import { BodyBudget } from './body-budget.js';

describe('BodyBudget', () => {
  it('BodyBudget gives half of the budget to the only holder', () => {
    const budget = new BodyBudget(100);
    budget.take('a', 50);
    expect(() => budget.take('a', 1)).toThrow(RateLimited);
  });

  it('BodyBudget always has bytes left for a new holder', () => {
    const budget = new BodyBudget(1200);
    for (const greedy of ['a', 'b', 'c']) {
      try {
        for (;;) budget.take(greedy, 1);
      } catch (error) {
        expect(error).toBeInstanceOf(RateLimited);
      }
    }
    expect(() => budget.take('another', 70)).not.toThrow();
  });

  it('503 not_ready for a new holder when the budget is used up', () => {
    expect(() => new BodyBudget(10).take('a', 6)).toThrow(NotReady);
  });

  it('BodyBudget never exceeds its budget, and is free again after the last release', () => {
    const step = fc.record({ holder: fc.constantFrom('a', 'b', 'c', 'd'), bytes: fc.integer({ min: 1, max: 40 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const budget = new BodyBudget(100);
        const taken = steps.filter(({ holder, bytes }) => {
          try {
            budget.take(holder, bytes);
            return true;
          } catch {
            return false;
          }
        });
        expect(taken.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(100);
        for (const { holder, bytes } of taken) budget.release(holder, bytes);
        expect(() => budget.take('e', 50)).not.toThrow();
      }),
    );
  });
});

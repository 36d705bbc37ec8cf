import type { Principal } from '@passwright/core';
import { PlanTokensService } from './plan-tokens.service.js';

const now = { now: () => new Date('2026-11-28T12:00:00.000Z') };
const plans = new PlanTokensService(
  { planSecret: 'x'.repeat(32), baseUrl: 'https://passes.example.com' } as never,
  now,
);
const principal = { kind: 'key', id: 'key_1', accountId: 'acc_1' } as unknown as Principal;
const planned = (input: object) => ({ principal, tool: 'updatePass', input, etag: '"1"' });

it('a token matches its plan with the properties in any order', () => {
  const { planToken } = plans.make(planned({ passId: 'ada', body: { metadata: { x: 1, y: [1, { a: 2, b: 3 }] } } }));
  const same = planned({ body: { metadata: { y: [1, { b: 3, a: 2 }], x: 1 } }, passId: 'ada' });
  expect(plans.problemOf(planToken, same)).toBeNull();
});

it.each([
  ['the pairs of an object', { x: [['y', 1]] }],
  ['a list that is sent as an object', { x: { list: [{ list: ['y', 1] }] } }],
  ['another order of a list', { x: [1, 'y'] }],
])('a token does not match a call with %s instead of the planned value', (_, metadata) => {
  const known = [{ x: { y: 1 } }, { x: ['y', 1] }, { x: [['y', 1]] }];
  for (const value of known.filter((one) => JSON.stringify(one) !== JSON.stringify(metadata))) {
    const { planToken } = plans.make(planned({ body: { metadata: value } }));
    expect(plans.problemOf(planToken, planned({ body: { metadata } }))).toBe('unknown');
  }
});

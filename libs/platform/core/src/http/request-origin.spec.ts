import { currentShare, inRequestOf } from './request-origin.js';

const request = { ip: '2001:db8::7', requestId: 'r' };

it('currentShare returns the tenant of the request', () => {
  expect(inRequestOf({ ...request, share: 'usr_1' }, currentShare)).toBe('usr_1');
});

it('currentShare returns the network of a caller who has not logged in', () => {
  expect(inRequestOf(request, currentShare)).toBe('2001:db8:0:0::/64');
});

it('currentShare returns the same key for all work outside of requests', () => {
  expect(currentShare()).toBe('jobs');
});

import { Clock, RateLimited } from '@passwright/core';
import { AppleWalletOptions } from '../apple-wallet.options.js';
import { PassRequestLimit } from './pass-request-limit.service.js';

class SettableClock extends Clock {
  constructor(public time: number) {
    super();
  }

  now(): Date {
    return new Date(this.time);
  }
}

function limitOf(requestsPerPass: number) {
  const clock = new SettableClock(Date.parse('2026-01-01T00:00:00Z'));
  return { clock, limit: new PassRequestLimit({ requestsPerPass } as AppleWalletOptions, clock) };
}

describe('PassRequestLimit', () => {
  it('PassRequestLimit rejects further requests for a pass until the minute has ended', () => {
    const { clock, limit } = limitOf(2);
    limit.take('a');
    limit.take('a');
    clock.time += 20_000;
    expect(() => limit.take('a')).toThrow(RateLimited);
    expect(() => limit.take('b')).not.toThrow();
    clock.time += 40_000;
    expect(() => limit.take('a')).not.toThrow();
  });

  it('PassRequestLimit counts registrations separately, with a fifth of the limit of requests', () => {
    const { limit } = limitOf(10);
    for (let index = 0; index < 2; index++) limit.takeRegistration('a');
    expect(() => limit.takeRegistration('a')).toThrow('More than 2 requests for this pass in a minute.');
    for (let index = 0; index < 10; index++) limit.take('a');
    expect(() => limit.take('a')).toThrow(RateLimited);
  });

  it('PassRequestLimit resets the request limit of a pass when the clock is set back', () => {
    const { clock, limit } = limitOf(1);
    limit.take('a');
    clock.time -= 3_600_000;
    expect(() => limit.take('a')).not.toThrow();
  });

  it('PassRequestLimit counts the requests of each pass separately', () => {
    const { limit } = limitOf(1);
    for (let index = 0; index < 20_000; index++) limit.take(`pass ${index}`);
    const walks = ['forEach', 'entries', Symbol.iterator] as const;
    const spies = walks.map((name) => jest.spyOn(Map.prototype, name as 'entries'));
    limit.take('one more');
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    jest.restoreAllMocks();
  });
});

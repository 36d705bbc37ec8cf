const leastStepMs = 1000;

/**
 * When something that was last changed at `previous` has changed again: now, and at least a second after each of
 * `previous`, also when the clock stands still or goes back. `Last-Modified` and the wallets tell versions apart by the
 * second (RFC 9110 §5.6.7).
 */
export function nextUpdate(now: Date, ...previous: readonly Date[]): Date {
  return new Date(Math.max(now.getTime(), ...previous.map((date) => date.getTime() + leastStepMs)));
}

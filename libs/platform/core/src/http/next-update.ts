const leastStepMs = 1000;

/**
 * Returns the time of a change: now, and at least one second after each of `previous`, even if the clock stands still
 * or goes back. `Last-Modified` and the wallets distinguish versions by the second (RFC 9110 §5.6.7).
 */
export function nextUpdate(now: Date, ...previous: readonly Date[]): Date {
  return new Date(Math.max(now.getTime(), ...previous.map((date) => date.getTime() + leastStepMs)));
}

/**
 * Replaces timers of at least `ms` milliseconds by functions that the test calls itself. `restore` ends the
 * replacement.
 * @returns these functions, in the order in which the timers were set
 */
export function longTimers(ms: number): { readonly timers: readonly (() => void)[]; readonly restore: () => void } {
  const [timers, setTimer] = [[] as (() => void)[], globalThis.setTimeout];
  const replaced = (work: () => void, delayMs?: number) => {
    if (!(Number(delayMs) >= ms)) return setTimer(work, delayMs);
    timers.push(work);
    return { refresh: () => undefined };
  };
  const spy = jest.spyOn(globalThis, 'setTimeout').mockImplementation(replaced as never);
  return { timers, restore: () => spy.mockRestore() };
}

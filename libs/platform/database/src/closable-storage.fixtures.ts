import { AsyncResource } from 'node:async_hooks';

/** Returns the number of enabled `AsyncLocalStorage`s, which slow down promises. Constant since Node 24. */
export function enabledStorages(): number {
  return Object.getOwnPropertySymbols(new AsyncResource('counted')).length;
}

import { emailForm, isDateTime, rejectedName, subscriptionPeriods, subscriptionStatuses } from '@passwright/core';
import { InvalidArgumentError } from 'commander';

/** Parses the value of an option, or throws an error that describes valid values. */
export type ValueReader<T> = (text: string) => T;

/** Accepts one of a few words. */
function oneOf<T extends string>(values: readonly T[]): ValueReader<T> {
  return (text) => {
    const value = values.find((known) => known === text);
    if (value === undefined) throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`);
    return value;
  };
}

export const status = oneOf(subscriptionStatuses);
export const period = oneOf(subscriptionPeriods);

/** The value that removes a setting. Not null, because commander treats null as a missing value. */
export const none = Symbol('none');

/** Accepts `none`, or any value that `read` accepts. */
export function orNone<T>(read: ValueReader<T>): ValueReader<T | typeof none> {
  return (text) => (text === 'none' ? none : read(text));
}

/** Accepts a single line of up to `max` characters. */
export function line(max: number): ValueReader<string> {
  return (text) => {
    const isLine = new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${max}}$`, 'u').test(text) && text.trim() !== '';
    if (isLine && rejectedName(text) === null) return text;
    throw new InvalidArgumentError(`It must be 1 to ${max} characters on a single line.`);
  };
}

/** Accepts a limit: a whole number, or `none`. */
export const limit = orNone((text) => {
  if (/^\d{1,10}$/.test(text) && Number(text) <= 2_147_483_647) return Number(text);
  throw new InvalidArgumentError('It must be a whole number such as 100000, or none for no limit.');
});

/** Parses the number of rows to list. */
export function rows(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 9999.');
}

/** Parses a point in time. */
export function time(text: string): Date {
  if (isDateTime(text)) return new Date(text);
  throw new InvalidArgumentError('It must be an ISO 8601 date-time with a zone, such as 2026-11-01T00:00:00Z.');
}

/** Accepts an e-mail address. */
export function email(text: string): string {
  if (emailForm.test(text)) return text;
  throw new InvalidArgumentError('It must be a single e-mail address, such as ada@example.com.');
}

import { isDeepStrictEqual } from 'node:util';
import { applyMergePatch } from '@passwright/passes';

type Values = Readonly<Record<string, unknown>>;

/** A property that a planned call changes. `from` is absent if there was no value, `to` if there will be none. */
export interface PlannedChange {
  readonly from?: unknown;
  readonly to?: unknown;
}

/** The properties of a template that callers cannot set. */
const ofService = new Set(['id', 'accountId', 'archived', 'createdAt', 'updatedAt']);
/** The properties that contain a time. Another notation of the same time does not count as a change. */
const times = new Set(['startDate', 'endDate', 'doorsOpen', 'validFrom', 'expiry']);

/** Lists the properties that the replacement of a template changes. The replacement clears omitted properties. */
export function changesOfReplacement(now: Values, body: Values): Record<string, PlannedChange> {
  const names = [...new Set([...Object.keys(now), ...Object.keys(body)])].filter((name) => !ofService.has(name));
  return changesOf(names, now, body);
}

/**
 * Lists the properties that a merge patch of a pass changes. An empty list of actions is a change, because it hides the
 * template's actions.
 */
export function changesOfPatch(now: Values, body: Values): Record<string, PlannedChange> {
  const { actions, ...others } = body;
  const changes = changesOf(Object.keys(others), now, applyMergePatch(now, others));
  const areSame = isEmptyList(actions) === isEmptyList(now.actions) && textOf(actions) === textOf(now.actions);
  if (!('actions' in body) || areSame) return changes;
  return { ...changes, actions: { from: now.actions ?? undefined, to: actions ?? undefined } };
}

function changesOf(names: readonly string[], now: Values, body: Values): Record<string, PlannedChange> {
  const changed = names.filter((name) => !isSame(name, now[name], body[name]));
  return Object.fromEntries(changed.map((name) => [name, { from: shown(now[name]), to: shown(body[name]) }]));
}

/** Returns true if two values of a property have the same effect. */
function isSame(name: string, one: unknown, other: unknown): boolean {
  // In metadata, false and an empty list differ from an absent value, because the caller's own systems read it.
  if (name === 'metadata') return isDeepStrictEqual(one ?? {}, other ?? {});
  const form = (value: unknown) => (times.has(name) && isTime(value) ? String(Date.parse(value)) : textOf(value));
  return form(one) === form(other);
}

/** Returns the same text for equal values, and for all ways to omit a property. */
function textOf(value: unknown): string {
  return isUnset(value) ? '' : JSON.stringify(sorted(value));
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || value === false || isEmptyList(value);
const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value) && !Number.isNaN(Date.parse(value));
const shown = (value: unknown): unknown => (isUnset(value) && value !== false ? undefined : value);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    // For a front field, null and an empty text both mean silence, while absence means the default message.
    .map(([name, one]) => [name, name === 'changeMessage' && one === null ? '' : one] as const)
    .filter(([, one]) => !isUnset(one));
  return entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, one]) => [name, sorted(one)]);
}

/** Returns true if a change may end a pass, so that the pass must be read first. */
export function mayEndPass(body: unknown): boolean {
  const { voided, expiry, validFrom } = (body ?? {}) as Record<string, unknown>;
  return isGiven(voided) && voided !== false ? true : isGiven(expiry) || isGiven(validFrom);
}

/** Returns true if a change voids a pass or shortens its validity. */
export function endsPass(body: unknown, read: Record<string, unknown> | null): boolean {
  const { voided, expiry, validFrom } = (body ?? {}) as Record<string, unknown>;
  const { pass } = (read ?? {}) as { pass?: Record<string, unknown> };
  const isSooner = isGiven(expiry) && !(timeOf(expiry) >= timeOf(pass?.expiry ?? null, Infinity));
  const isLater = isGiven(validFrom) && !(timeOf(validFrom) <= timeOf(pass?.validFrom ?? null, -Infinity));
  return (isGiven(voided) && voided !== false) || isSooner || isLater;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/**
 * Returns the time in ms, or NaN for an invalid time. Comparisons with NaN are false, so an invalid change gets a plan
 * and is later rejected by the API.
 */
function timeOf(value: unknown, absent = NaN): number {
  return value === null ? absent : Date.parse(typeof value === 'string' ? value : '');
}

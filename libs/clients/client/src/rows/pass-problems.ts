import type { PassRequest } from '../generated/api.js';
import type { RowTemplate } from './pass-rows.js';

const idForm = /^(?!batch$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const timeForm = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;
const longest = { code: 512, primaryValue: 512, thumbnail: 2048 } as const;

/** Returns the problems of a pass that the client can find without a request. */
export function passProblems(pass: PassRequest, { type, primaryLabel }: RowTemplate): string[] {
  const problems: string[] = [];
  const { id, primaryValue, thumbnail, voided } = pass;
  if (typeof id === 'string' && !idForm.test(id)) {
    problems.push(`id "${id}" must be 1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit`);
  }
  const wrongType = idTypeProblem(id);
  if (wrongType !== null) problems.push(wrongType);
  for (const [name, most] of Object.entries(longest) as [keyof typeof longest, number][]) {
    if (characterCount(pass[name]) > most) problems.push(`${name} must be at most ${most} characters`);
  }
  for (const name of ['validFrom', 'expiry'] as const) {
    const value = pass[name];
    if (typeof value === 'string' && !isTime(value)) {
      problems.push(`${name} "${value}" must be an ISO 8601 date-time with a zone, such as 2026-12-31T23:00:00Z`);
    }
  }
  if (voided !== undefined && voided !== null && typeof voided !== 'boolean') {
    problems.push(`voided "${String(voided)}" must be true or false`);
  }
  if (primaryLabel !== undefined && !primaryValue) {
    problems.push(`primaryValue is missing, which a ${type} pass must have ("${primaryLabel}")`);
  }
  if (primaryLabel === undefined && primaryValue) problems.push(`primaryValue is not for a pass of type ${type}`);
  if (thumbnail && type !== 'generic') problems.push(`thumbnail is not for a pass of type ${type}`);
  return [...problems, ...fieldProblems(pass.fields)];
}

/**
 * Returns the problem of an id that is not a text; null for a text or no id. A line of JSON may contain anything,
 * whatever the type says.
 */
export function idTypeProblem(id: unknown): string | null {
  return typeof (id ?? '') === 'string' ? null : `id ${JSON.stringify(id)} must be a text, such as "7"`;
}

/** Returns the problems of front fields. Fields from a JSON cell may have an invalid form. */
function fieldProblems(fields: unknown): string[] {
  if (fields === undefined || fields === null) return [];
  if (!Array.isArray(fields)) return ['fields must be a list as JSON'];
  return (fields as { key?: unknown; value?: unknown }[]).flatMap((field) => {
    const isLong = characterCount(field?.value) > 1000;
    return isLong ? [`the field ${String(field.key)} must be at most 1000 characters`] : [];
  });
}

/** Returns true for a date-time from 1970 to 9999 with a zone. February 30 is invalid. */
function isTime(text: string): boolean {
  const [, year = NaN, month = NaN, day = NaN] = timeForm.exec(text)?.map(Number) ?? [];
  const time = new Date(text);
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate() && time.getTime() >= 0 && time.getUTCFullYear() <= 9999;
}

/**
 * Returns the number of characters as the service counts them: each Unicode code point is one character. A value that is
 * not a text has none.
 */
function characterCount(text: unknown): number {
  if (typeof text !== 'string') return 0;
  const pairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  return text.length - pairs;
}

import type { ApplePassRow } from './apple-passes.repository.js';

/** When a package last changed, as far as the seconds of an HTTP date can tell. */
export interface LastModified {
  /** To the second, and never in the future (RFC 9110 §8.8.2.1). */
  readonly lastModified: Date;
  /** Whether it tells this content from all that the pass had before: a condition may be judged by it. */
  readonly lastModifiedIsUnique: boolean;
}

type Dates = 'createdAt' | 'updatedAt';

/**
 * The later one of the last changes of pass and template, each of which is never changed twice in a second. That makes
 * it exact where both changed in different seconds. Their dates may lie ahead, after several changes in a second: such
 * a date is neither handed out nor judged by, as the other one may change before it comes.
 */
export function lastModifiedOf(
  { pass, template }: { readonly pass: Pick<ApplePassRow['pass'], Dates>; readonly template: { updatedAt: Date } },
  now: Date,
): LastModified {
  const [passSecond, templateSecond, nowSecond] = [pass.updatedAt, template.updatedAt, now].map(secondOf) as Seconds;
  const second = Math.max(passSecond, templateSecond);
  // A pass issued after its template's last change has no earlier content.
  const isFirstContent = +pass.updatedAt === +pass.createdAt && template.updatedAt < pass.updatedAt;
  return {
    lastModified: new Date(Math.min(second, nowSecond) * 1000),
    lastModifiedIsUnique: second <= nowSecond && (passSecond !== templateSecond || isFirstContent),
  };
}

type Seconds = [pass: number, template: number, now: number];

function secondOf(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

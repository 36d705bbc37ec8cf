/** A date of a pass or of its template. */
interface Updated {
  readonly updatedAt: Date;
}

/**
 * The version of a package: the last change of what a holder sees. A change of either is at least a second after all
 * changes of both, so the second of an HTTP date tells each version from the ones before. After several changes within
 * a second it lies ahead of the clock.
 * @see https://developer.apple.com/documentation/walletpasses/send-an-updated-pass
 */
export function lastModifiedOf(pass: Updated, template: Updated): Date {
  return pass.updatedAt > template.updatedAt ? pass.updatedAt : template.updatedAt;
}

/** How a date in a header begins, in each of the three forms of RFC 9110 §5.6.7; much else would be read as one, such as a year. */
const dayName = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * Whether a holder of the version of `header` has the current one: only when both are equal. A later time is not newer: it
 * is a version that a restore of the database has undone. A header that is no date says nothing.
 */
export function isUnmodifiedSince(lastModified: Date, header: string | undefined): boolean {
  if (header === undefined || !dayName.test(header)) return false;
  return Math.floor(lastModified.getTime() / 1000) * 1000 === Date.parse(header);
}

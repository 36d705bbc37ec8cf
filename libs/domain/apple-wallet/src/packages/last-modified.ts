/** The change date of a pass or template. */
interface Updated {
  readonly updatedAt: Date;
}

/**
 * Returns the version of a package: the time of the last change that a holder can see. Each change of the pass or
 * template is dated at least a second after all earlier ones. So HTTP dates, which contain only whole seconds,
 * distinguish all versions. The version may be ahead of the clock.
 * @see https://developer.apple.com/documentation/walletpasses/send-an-updated-pass
 */
export function lastModifiedOf(pass: Updated, template: Updated): Date {
  return pass.updatedAt > template.updatedAt ? pass.updatedAt : template.updatedAt;
}

/**
 * The beginning of an HTTP date in each of the three formats of RFC 9110 §5.6.7. `Date` would also accept other text,
 * such as a year.
 */
const dayName = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * Returns true if the version in `header` equals the current one. A later time belongs to a version that a restore of
 * the database has undone. Ignores a header that is not a date.
 */
export function isUnmodifiedSince(lastModified: Date, header: string | undefined): boolean {
  if (header === undefined || !dayName.test(header)) return false;
  return Math.floor(lastModified.getTime() / 1000) * 1000 === Date.parse(header);
}

const keyForm = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;
const maxSegment = 200;

/**
 * Splits a blob's key into path segments. No segment begins with a dot, so that a key cannot leave its folder.
 * @throws RangeError for an invalid key
 */
export function keySegments(key: string): string[] {
  const segments = key.split('/');
  if (!keyForm.test(key) || segments.some((segment) => segment.length > maxSegment)) {
    throw new RangeError(
      `${JSON.stringify(key.slice(0, 80))} is not a blob key: relative, of [A-Za-z0-9._/-], no dot first`,
    );
  }
  return segments;
}

/**
 * Returns a `text[]` parameter for a statement that gets hundreds of values. Formats the array several times faster
 * than pg. Leaves arrays to pg if a value needs escapes.
 */
export function textArray(values: readonly (string | null)[]): string | readonly (string | null)[] {
  const json = JSON.stringify(values);
  return json.includes('\\') ? values : `{${json.slice(1, -1)}}`;
}

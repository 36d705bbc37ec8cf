/**
 * Builds the address of a call. Parameters in the path are encoded; the others go into the query, lists as repeated
 * names, and without those that are null or undefined.
 * @throws TypeError for a path parameter that is missing or would lead to another path
 */
export function requestUrl(
  id: string,
  baseUrl: string,
  path: string,
  parameters: Readonly<Record<string, unknown>>,
): string {
  const query = { ...parameters };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    // Each of these values would turn the path into that of another operation.
    if ([undefined, null, '', '.', '..'].includes(value as string)) {
      throw new TypeError(`${id} needs ${name}, not ${JSON.stringify(value)}.`);
    }
    delete query[name];
    return encodeURIComponent(String(value));
  });
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap((one: unknown) => (one === undefined || one === null ? [] : [[name, String(one)]])),
  );
  return `${baseUrl}${filled}${pairs.length > 0 ? '?' : ''}${new URLSearchParams(pairs).toString()}`;
}

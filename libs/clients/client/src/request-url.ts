/**
 * Returns the address of a service without a trailing slash and without `/v1`, which the paths of the operations
 * contain. A path is accepted too, and in a browser an empty text for the page's own origin.
 * @throws TypeError for anything else, such as an address without `https://`
 */
export function serviceAddress(baseUrl: string | undefined): string {
  const form = 'location' in globalThis ? /^(https?:\/\/.|\/|$)/i : /^(https?:\/\/.|\/)/i;
  if (typeof baseUrl === 'string' && form.test(baseUrl)) return baseUrl.replace(/\/(v1\/?)?$/, '');
  throw new TypeError(`baseUrl is ${JSON.stringify(baseUrl)}, not an address such as https://passes.example.com.`);
}

/**
 * Builds the address of a call. Parameters of the path are encoded, and all others go into the query. A list becomes a
 * repeated parameter. Omits null and undefined.
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
    // Each of these values would lead to the path of another operation.
    if ([undefined, null, '', '.', '..'].includes(value as string)) {
      throw new TypeError(`${id} needs ${name}, not ${JSON.stringify(value)}.`);
    }
    delete query[name];
    return encodeURIComponent(String(value));
  });
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const values = [value].flat() as (string | number | boolean | null | undefined)[];
    for (const one of values) if (one !== undefined && one !== null) pairs.append(name, String(one));
  }
  const text = pairs.toString();
  return text === '' ? `${baseUrl}${filled}` : `${baseUrl}${filled}?${text}`;
}

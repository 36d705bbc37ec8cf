/**
 * Merges headers, and omits undefined and empty ones. A later value replaces an earlier one, even if the names differ in
 * letter case.
 */
export function mergedHeaders(
  ...all: (Readonly<Record<string, string | undefined>> | undefined)[]
): Record<string, string> {
  const given = all.flatMap((headers) => Object.entries(headers ?? {})).filter(([, value]) => value !== undefined);
  const merged = new Map(given.map((header) => [header[0].toLowerCase(), header]));
  return Object.fromEntries([...merged.values()].filter((header): header is [string, string] => !!header[1]));
}

/**
 * Returns SQL for a log line without the identifiers of devices, which are secrets: a request with the identifier of a
 * device lists the passes on it. iOS writes `(for device <identifier>, pass type …`.
 * @param line the SQL of the line
 */
export function shownLineSql(line: string): string {
  return `regexp_replace(${line}, '(\\mdevice )[^\\s,;()]+', '\\1…', 'gi')`;
}

import { isObject, parseJson } from './strict-json.js';

/** A web service's list of changed passes. */
export interface UpdatedList {
  readonly serialNumbers: readonly string[];
  /** The tag of the list; undefined if the server omitted it, about which phones complain in their log. */
  readonly lastUpdated: string | undefined;
}

/**
 * Reads the response to a list request as strictly as a phone: serial numbers and tag must be texts.
 * @returns the list, or the reason why it is malformed
 */
export function readUpdatedList(body: Uint8Array): UpdatedList | string {
  const { value, problem } = parseJson(body);
  if (problem) return problem;
  if (!isObject(value)) return 'it is no object';
  const { serialNumbers, lastUpdated } = value;
  if (!isTexts(serialNumbers)) return 'serialNumbers is not a list of texts';
  if (lastUpdated !== undefined && typeof lastUpdated !== 'string') return 'lastUpdated is not a text';
  return { serialNumbers, lastUpdated };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

import { isObject, parseJson } from './strict-json.js';

/** What a web service answers to «what has changed?». */
export interface UpdatedList {
  readonly serialNumbers: readonly string[];
  /** Undefined when the server left it out, which phones complain about but put up with. */
  readonly lastUpdated: string | undefined;
}

/**
 * Reads the answer of the list call as strictly as a phone: serial numbers are texts, and so is the tag.
 * @returns in words why it is malformed, when it is
 */
export function readUpdatedList(body: Uint8Array): UpdatedList | string {
  const { value, fault } = parseJson(body);
  if (fault) return fault;
  if (!isObject(value)) return 'it is no object';
  const { serialNumbers, lastUpdated } = value;
  if (!isTexts(serialNumbers)) return 'serialNumbers is not a list of texts';
  if (lastUpdated !== undefined && typeof lastUpdated !== 'string') return 'lastUpdated is not a text';
  return { serialNumbers, lastUpdated };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

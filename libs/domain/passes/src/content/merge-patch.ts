/** A parsed JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * Returns the result of a JSON merge patch: null removes a property, an object is merged into the existing object, any
 * other value replaces the property. Does not change its arguments. Treats `__proto__` as an ordinary property.
 * @see https://www.rfc-editor.org/rfc/rfc7396
 */
export function applyMergePatch(target: JsonRecord, patch: JsonRecord): JsonRecord {
  const result = new Map(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, isRecord(value) ? applyMergePatch(recordOrEmpty(result.get(name)), value) : value);
  }
  return Object.fromEntries(result);
}

function recordOrEmpty(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Json = Readonly<Record<string, unknown>>;

/**
 * A Swagger UI plug-in that resolves the references in a document. Swagger UI's own resolver needs seconds for this.
 * Runs in the browser, so it uses nothing outside of itself.
 */
export function withoutReferences(): object {
  const isObject = (value: unknown): value is Json =>
    typeof value === 'object' && value !== null && !Array.isArray(value);

  /** Merges two members of `allOf`. The second takes precedence. */
  const merged = (first: Json, second: Json): Json => {
    const both: Record<string, unknown> = { ...first, ...second };
    for (const [name, value] of Object.entries(first)) {
      const other = second[name];
      if (isObject(value) && isObject(other)) both[name] = merged(value, other);
      else if (name === 'required' && Array.isArray(value) && Array.isArray(other)) {
        both[name] = [...new Set<unknown>([...(value as unknown[]), ...(other as unknown[])])];
      }
    }
    return both;
  };

  /**
   * Returns a part of the document without references. Keeps the keywords beside a reference, and a reference from a
   * part to itself.
   */
  const partWithoutReferences = (document: Json, path: readonly string[]): unknown => {
    const at = (names: readonly string[]) => names.reduce<unknown>((part, name) => (part as Json)[name], document);
    const resolved = (value: unknown, around: readonly string[]): unknown => {
      if (Array.isArray(value)) return value.map((item) => resolved(item, around));
      if (!isObject(value)) return value;
      const { $ref, allOf, ...words } = value;
      const own = Object.fromEntries(Object.entries(words).map(([name, part]) => [name, resolved(part, around)]));
      if (typeof $ref === 'string') {
        if (around.includes($ref)) return value;
        const target = resolved(at($ref.slice(2).split('/')), [...around, $ref]) as Json;
        return { ...target, ...own, $$ref: $ref };
      }
      if (!Array.isArray(allOf)) return own;
      const members = allOf.map((member) => resolved(member, around) as Json);
      const { $$ref: _, ...whole } = [...members, own].reduce(merged, {});
      return whole;
    };
    return resolved(at(path), []);
  };

  return { fn: { partWithoutReferences } };
}

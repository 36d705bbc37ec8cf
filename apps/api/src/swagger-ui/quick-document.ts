import type { SwaggerSystem } from './swagger-system.js';

/**
 * A Swagger UI plug-in that makes a large document quick: it reads the document as JSON rather than as YAML, and
 * resolves the references of an operation in the part of the document that the operation needs. The resolver of OpenAPI
 * 3.0 does that many times faster than that of 3.1. The browser receives the source text of this function.
 */
export function quickDocument(): object {
  type Document = { readonly components: Parts };
  type Parts = Record<string, Record<string, unknown>>;

  const nested = (value: unknown, [name, ...names]: readonly string[]): unknown =>
    name === undefined ? value : { [name]: nested((value as Record<string, unknown> | undefined)?.[name], names) };

  /** Keeps one part of a document, and the components that it refers to. */
  const partOf = (document: Document, path: readonly string[]): object => {
    const part = nested(document, path) as { components?: Parts };
    const components: Parts = { ...part.components };
    const collect = (value: unknown): void => {
      for (const [, kind = '', name = ''] of JSON.stringify(value ?? null).matchAll(
        /"#\/components\/(\w+)\/([^"]+)"/g,
      )) {
        const kept = (components[kind] ??= {});
        if (name in kept) continue;
        kept[name] = document.components[kind]?.[name];
        collect(kept[name]);
      }
    };
    collect(part);
    return { ...document, openapi: '3.0.3', paths: {}, webhooks: {}, ...part, components };
  };

  const parseToJson =
    (_before: unknown, { specActions }: SwaggerSystem) =>
    (text: string) => {
      specActions.updateJsonSpec(JSON.parse(text) as object);
    };
  return {
    statePlugins: { spec: { wrapActions: { parseToJson } } },
    /** Replaces the function after the plug-ins of Swagger UI have set it. */
    afterLoad(this: { fn: SwaggerSystem['fn'] }): void {
      const before = this.fn.resolveSubtree;
      this.fn.resolveSubtree = (document, path, options) => before(partOf(document as Document, path), path, options);
    },
  };
}

import type { SwaggerSystem } from './swagger-system.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * A Swagger UI plug-in for large documents. Swagger UI first gets only the parts that its list shows, and the rest of
 * an operation when a reader opens it. Runs in the browser, so it uses nothing outside of itself.
 */
export function quickDocument(): object {
  let whole: Json = {};

  const mapped = (parts: unknown, change: (part: Json) => unknown) =>
    Object.fromEntries(Object.entries(parts as Json).map(([name, part]) => [name, change(part as Json)]));
  const listed = ({ webhooks: _, paths, components, ...rest }: Json): object => {
    const { schemas, securitySchemes } = components as Json;
    const operation = ({ tags, summary, operationId, deprecated = false, security }: Json) =>
      security ? { tags, summary, operationId, deprecated, security } : { tags, summary, operationId, deprecated };
    // Keep `properties`, because readers can open only schemas with properties. Swagger UI then requests the rest.
    const schema = ({ type }: Json) => ({ type, properties: {} });
    return {
      ...rest,
      paths: mapped(paths, (item) => mapped(item, operation)),
      components: { schemas: mapped(schemas, schema), securitySchemes },
    };
  };

  const parseToJson =
    (_before: unknown, { specActions }: SwaggerSystem) =>
    (text: string) => {
      whole = JSON.parse(text) as Json;
      specActions.updateJsonSpec(listed(whole));
    };
  const requestResolvedSubtree =
    (_before: unknown, { specActions, fn }: SwaggerSystem) =>
    (path: readonly string[]) =>
      specActions.updateResolvedSubtree(path, fn.partWithoutReferences(whole, path));
  return { statePlugins: { spec: { wrapActions: { parseToJson, requestResolvedSubtree } } } };
}

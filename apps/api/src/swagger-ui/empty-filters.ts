import type { ShownOperation, ShownParameter } from './swagger-system.js';

/**
 * A Swagger UI plug-in that leaves optional query parameters empty, and shows their examples in the descriptions.
 * Otherwise Swagger UI would send the examples, and the first request would find nothing. Runs in the browser, so it
 * uses nothing outside of itself.
 */
export function emptyFilters(): object {
  const emptied = (parameter: ShownParameter): ShownParameter => {
    const { example, ...schema } = parameter.schema ?? {};
    if (parameter.in !== 'query' || parameter.required || example === undefined) return parameter;
    return {
      ...parameter,
      description: `${parameter.description ?? ''} Example: \`${String(example)}\``.trim(),
      schema,
    };
  };

  type Update = (path: readonly string[], part: ShownOperation) => unknown;
  const updateResolvedSubtree = (before: Update) => (path: readonly string[], part: ShownOperation) =>
    before(path, path[0] === 'paths' && part.parameters ? { ...part, parameters: part.parameters.map(emptied) } : part);
  return { statePlugins: { spec: { wrapActions: { updateResolvedSubtree } } } };
}

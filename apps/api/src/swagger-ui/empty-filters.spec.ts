import { emptyFilters } from './empty-filters.js';
import type { ShownOperation, ShownParameter } from './swagger-system.js';

type Update = (path: string[], part: object) => void;

/** Returns the part of the document that the plug-in passes to Swagger UI. */
function shown(path: string[], part: object): object {
  const plugin = emptyFilters() as {
    statePlugins: { spec: { wrapActions: { updateResolvedSubtree: (before: Update) => Update } } };
  };
  let updated: object = {};
  plugin.statePlugins.spec.wrapActions.updateResolvedSubtree((_path, value) => (updated = value))(path, part);
  return updated;
}

const operation = (parameter: ShownParameter): ShownOperation => ({ parameters: [parameter] });
const path = ['paths', '/v1/pass/{templateId}', 'get'];
const since = '2026-12-31T23:00:00.000Z';

it('an optional query parameter is empty, and its description shows the example', () => {
  const schema = { example: since, type: 'string' };
  expect(shown(path, operation({ name: 'since', in: 'query', description: 'Only later ones.', schema }))).toEqual(
    operation({
      ...{ name: 'since', in: 'query', description: `Only later ones. Example: \`${since}\`` },
      schema: { type: 'string' } as ShownParameter['schema'],
    }),
  );
});

it.each<ShownParameter>([
  { name: 'q', in: 'query', required: true, schema: { example: 'ada' } },
  { name: 'templateId', in: 'path', required: true, schema: { example: 'offer' } },
  { name: 'limit', in: 'query', schema: { default: 20 } },
])('the parameter $name keeps the value that Swagger UI fills in', (parameter) => {
  expect(shown(path, operation(parameter))).toEqual(operation(parameter));
});

it('the plug-in does not change schemas', () => {
  const schema = { type: 'object', properties: {} };
  expect(shown(['components', 'schemas', 'Pass'], schema)).toBe(schema);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { quickDocument } from './quick-document.js';
import { withoutReferences } from './without-references.js';

type Json = Record<string, unknown>;
type Action = (before: unknown, system: object) => (...values: unknown[]) => void;

const document = JSON.parse(readFileSync(join(__dirname, '../../../../docs/openapi.json'), 'utf8')) as Json;
const methods = ['get', 'put', 'post', 'patch', 'delete'];

/** Runs the plug-in with a document as Swagger UI does. */
function quick(whole: Json) {
  const plugin = quickDocument() as { statePlugins: { spec: { wrapActions: Record<string, Action> } } };
  const { fn } = withoutReferences() as { fn: object };
  let listed: Json = {};
  let opened: unknown;
  const specActions = {
    updateJsonSpec: (part: Json) => void (listed = part),
    updateResolvedSubtree: (_path: string[], part: unknown) => void (opened = part),
  };
  const act = (name: string, ...values: unknown[]) =>
    plugin.statePlugins.spec.wrapActions[name]?.(null, { specActions, fn })(...values);
  act('parseToJson', JSON.stringify(whole));
  const open = (...path: string[]) => {
    act('requestResolvedSubtree', path);
    return opened as Json;
  };
  return { listed, open };
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const component = (reference: string) =>
  reference
    .slice(2)
    .split('/')
    .reduce<Json>((part, name) => part[name] as Json, document);

/** Lists the objects that a schema combines by `$ref` or `allOf`, in order of increasing precedence. */
function layers(value: Json): Json[] {
  const { $ref, allOf, ...own } = value;
  if (typeof $ref === 'string') return [...layers(component($ref)), own];
  return Array.isArray(allOf) ? [...(allOf as Json[]).flatMap(layers), own] : [value];
}

/** Lists the paths of content that the quick form lacks. */
function losses(value: unknown, shown: unknown, place: string): string[] {
  if (Array.isArray(value)) {
    if (!Array.isArray(shown)) return [place];
    if (place.endsWith('/required')) return (value as unknown[]).every((name) => shown.includes(name)) ? [] : [place];
    return value.flatMap((item, index) => losses(item, shown[index], `${place}/${index}`));
  }
  if (!isObject(value)) return value === shown ? [] : [place];
  if (!isObject(shown)) return [place];
  const all = layers(value);
  return all.flatMap((layer, index) =>
    Object.entries(layer)
      .filter(([name, part]) => isObject(part) || all.slice(index + 1).every((stronger) => !(name in stronger)))
      .flatMap(([name, part]) => losses(part, shown[name], `${place}/${name}`)),
  );
}

describe('the quick form of the document', () => {
  const { listed, open } = quick(document);
  const operations = Object.entries(document.paths as Record<string, Json>).flatMap(([path, item]) =>
    methods.filter((method) => method in item).map((method) => [path, method] as const),
  );

  it('the quick form keeps every type, value, bound and description of each operation and schema', () => {
    const schemas = Object.keys((document.components as { schemas: Json }).schemas);
    const places = [
      ...operations.map(([path, method]) => ['paths', path, method]),
      ...schemas.map((name) => ['components', 'schemas', name]),
    ];
    expect(places.length).toBeGreaterThan(250);
    const at = (place: string[]) => place.reduce<Json>((part, name) => part[name] as Json, document);
    expect(places.flatMap((place) => losses(at(place), open(...place), place.join('/')))).toEqual([]);
  });

  it('no operation of the quick form contains a reference', () => {
    const left = operations.filter(([path, method]) => JSON.stringify(open('paths', path, method)).includes('"$ref"'));
    expect(left).toEqual([]);
  });

  it('the quick list has the group, summary and id of each operation, and is less than a fifth of the document', () => {
    const words = ({ tags, summary, operationId }: Json) => ({ tags, summary, operationId });
    const all = (whole: Json) =>
      operations.map(([path, method]) =>
        words((whole.paths as Record<string, Record<string, Json>>)[path]?.[method] ?? {}),
      );
    expect(all(listed)).toEqual(all(document));
    expect(JSON.stringify(listed).length).toBeLessThan(JSON.stringify(document).length / 5);
  });
});

it('a schema that contains itself keeps that reference', () => {
  const group = {
    type: 'object',
    properties: { parts: { type: 'array', items: { $ref: '#/components/schemas/Group' } } },
  };
  const { open } = quick({ paths: {}, components: { schemas: { Group: group } } });
  const inner = { $$ref: '#/components/schemas/Group', ...group };
  expect(open('components', 'schemas', 'Group')).toEqual({
    ...group,
    properties: { parts: { type: 'array', items: inner } },
  });
});

// Extracts the schemas of the classes and objects we write from Google's discovery document: node cut.mjs
// walletobjects.v1.json > src/discovery.ts
import { readFileSync } from 'node:fs';

const { revision, schemas } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const roots = ['Offer', 'EventTicket', 'Generic', 'Loyalty'].flatMap((name) => [`${name}Class`, `${name}Object`]);
const superseded = new Set(['InfoModuleData', 'LatLongPoint']);

const refOf = ({ $ref, items }) => $ref ?? items?.$ref;
const isDeprecated = (property) =>
  property.deprecated || /^deprecated/i.test(property.description ?? '') || superseded.has(refOf(property));

/** Copies a property without deprecated enum spellings, which are `lowerCamel` instead of `UPPER_SNAKE`. */
function cutProperty({ type, format, $ref, items, enum: values, enumDeprecated = [] }) {
  return {
    ...($ref ? { $ref } : { type }),
    ...(format === 'int64' && { format }),
    ...(values && { enum: values.filter((_, index) => !enumDeprecated[index]) }),
    ...(items && { items: cutProperty(items) }),
  };
}

function cutSchema({ properties }) {
  const entries = Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
  const kind = /"(walletobjects#\w+)"/.exec(properties.kind?.description ?? '')?.[1];
  return {
    ...(kind && { kind }),
    properties: Object.fromEntries(
      entries.filter(([, p]) => !isDeprecated(p)).map(([name, p]) => [name, cutProperty(p)]),
    ),
    deprecated: entries.filter(([, p]) => isDeprecated(p)).map(([name]) => name),
  };
}

const cut = {};
const queue = [...roots];
for (let name = queue.shift(); name; name = queue.shift()) {
  if (name in cut) continue;
  cut[name] = cutSchema(schemas[name]);
  queue.push(...Object.values(cut[name].properties).map(refOf).filter(Boolean));
}
const sorted = Object.fromEntries(Object.entries(cut).sort(([a], [b]) => (a < b ? -1 : 1)));
const json = JSON.stringify(sorted);
if (/['\\]/.test(json)) throw new Error('A quote or a backslash would have to be escaped.');
process.stdout
  .write(`// Cut by cut.mjs from Google's discovery document walletobjects v1 (Apache-2.0); see README.md. Not edited by hand.

/** Revision of the discovery document. */
export const googleSchemaRevision = '${revision}';

/** JSON of each schema by name: its properties, the names of deprecated ones, and its \`kind\`. */
export const discoveredSchemas =
  '${json}';
`);

import type { OpenAPIObject } from '@nestjs/swagger';

interface Part {
  readonly name?: string;
  readonly content?: Readonly<Record<string, { readonly examples?: object }>>;
}

interface SharingOperation {
  readonly parameters?: readonly Part[];
  readonly responses: Readonly<Record<string, Part>>;
}

/** The references to shared parts, by the JSON of the part. */
type References = ReadonlyMap<string, { readonly $ref: string; readonly name: string; readonly part: Part }>;

/** Returns the document with one copy of shared parameters and errors in `components`, which halves its size. */
export function withSharedParts(document: OpenAPIObject): OpenAPIObject {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path) as SharingOperation[]);
  const parameters = sharedParts(
    'parameters',
    operations.flatMap((operation) => operation.parameters ?? []),
    ({ name = '' }) => name,
  );
  const responses = sharedParts(
    'responses',
    operations.flatMap((operation) =>
      Object.entries(operation.responses)
        .filter(isError)
        .map(([, part]) => part),
    ),
    nameOfErrors,
  );
  const shared = (operation: SharingOperation) => ({
    ...operation,
    ...(operation.parameters && { parameters: operation.parameters.map((part) => referTo(parameters, part)) }),
    responses: mapValues(operation.responses, (part) => referTo(responses, part)),
  });
  return {
    ...document,
    paths: mapValues(document.paths, (path) => mapValues(path as Record<string, SharingOperation>, shared)),
    components: { ...document.components, parameters: byName(parameters), responses: byName(responses) } as object,
  };
}

const isError = ([status]: [status: string, part: Part]): boolean => Number(status) >= 400;

/**
 * Returns a name such as `UnauthorizedOrTokenExpired`, or an empty text for an error whose only content is an HTML
 * page.
 */
function nameOfErrors({ content = {} }: Part): string {
  const codes = Object.keys(content['application/json']?.examples ?? {});
  const name = codes
    .map((code) => code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()))
    .join('Or');
  return name && content['text/html'] ? `${name}OrPage` : name;
}

/** Finds the parts that occur at least twice. Of different parts with the same name, finds only the most frequent. */
function sharedParts(kind: string, parts: readonly Part[], nameOf: (part: Part) => string): References {
  const counts = new Map<string, number>();
  for (const part of parts) counts.set(JSON.stringify(part), (counts.get(JSON.stringify(part)) ?? 0) + 1);
  const mostFrequent = [...counts].filter(([, count]) => count > 1).sort(([, one], [, other]) => other - one);
  const taken = new Set(['']);
  const references = mostFrequent.flatMap(([json]) => {
    const part = JSON.parse(json) as Part;
    const name = nameOf(part);
    if (taken.has(name)) return [];
    taken.add(name);
    return [[json, { $ref: `#/components/${kind}/${name}`, name, part }] as const];
  });
  return new Map(references);
}

function referTo(references: References, part: Part): Part | { $ref: string } {
  const reference = references.get(JSON.stringify(part));
  return reference ? { $ref: reference.$ref } : part;
}

function byName(references: References): Record<string, Part> {
  const parts = [...references.values()].map(({ name, part }) => [name, part] as const);
  return Object.fromEntries(parts.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function mapValues<Value, Result>(of: Readonly<Record<string, Value>>, map: (value: Value) => Result) {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value)]));
}

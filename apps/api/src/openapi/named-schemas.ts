import type { OpenAPIObject } from '@nestjs/swagger';

interface NamingOperation {
  readonly operationId?: string;
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

/** The names of schemas without a class, each from the request or the 200 response of an operation. */
const names: [operationId: string, where: 'request' | '200', name: string][] = [
  ['upsertTemplate', 'request', 'TemplateRequest'],
  ['upsertTemplate', '200', 'Template'],
  ['listTemplates', '200', 'TemplatePage'],
  ['exportAccount', '200', 'AccountExport'],
  ['exportHolder', '200', 'HolderExport'],
];

/** Returns the document with the schemas of `names` in `components`, so that generated clients have names for them. */
export function withNamedSchemas(document: OpenAPIObject): OpenAPIObject {
  return names.reduce((named, [operationId, where, name]) => {
    const schema = schemaOf(named, operationId, where);
    return schema ? withName(named, JSON.stringify(schema), name) : named;
  }, document);
}

function schemaOf({ paths }: OpenAPIObject, operationId: string, where: 'request' | '200'): object | undefined {
  const operations = Object.values(paths).flatMap((path) => Object.values(path) as NamingOperation[]);
  const operation = operations.find((one) => one.operationId === operationId);
  const body = where === 'request' ? operation?.requestBody : operation?.responses[where];
  return body?.content?.['application/json']?.schema;
}

function withName(document: OpenAPIObject, schema: string, name: string): OpenAPIObject {
  const reference = JSON.stringify({ $ref: `#/components/schemas/${name}` });
  const replaced = JSON.parse(JSON.stringify(document).replaceAll(schema, () => reference)) as OpenAPIObject;
  const inner = JSON.parse(schema) as object;
  return {
    ...replaced,
    components: { ...replaced.components, schemas: { ...replaced.components?.schemas, [name]: inner } },
  };
}

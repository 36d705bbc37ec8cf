import type { OpenAPIObject } from '@nestjs/swagger';
import { standaloneSchema, type JsonSchema } from './tool-schema.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: JsonSchema;
}

type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>;
interface RequestBody {
  readonly content?: Content;
  readonly required?: boolean;
}
interface Body {
  readonly type: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** An operation of the API as a tool for agents, with the same name and schemas. */
export interface Tool {
  /** The id of the operation. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly method: string;
  /** The path with its `{parameters}`. */
  readonly path: string;
  readonly queryNames: readonly string[];
  /** The arguments that are sent as headers, with the names of the headers. */
  readonly headerNames: Readonly<Record<string, string>>;
  readonly bodyType: string | null;
  /** The schema of its parameters by name, and of the request body as `body`. */
  readonly input: JsonSchema;
  /** The schema of its result; null if the result may be an image. */
  readonly output: JsonSchema | null;
  readonly hints: ToolHints;
}

export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** False, because a tool changes only data of the API. */
  readonly openWorldHint: false;
}

/** The operations that cannot be undone or that change many passes. An agent plans them before it executes them. */
const plannedOperations = new Set(['voidPass', 'updatePass', 'upsertTemplate']);

export function isPlanned({ name }: Tool): boolean {
  return plannedOperations.has(name);
}

/** Short schemas for bodies that repeat the body of another tool. */
const shortBodies: Readonly<Record<string, JsonSchema>> = {
  lintTemplate: {
    properties: {
      template: {
        type: 'object',
        description: 'A draft, like the body of upsertTemplate. Default: the stored template.',
      },
      pass: { type: 'object', description: 'A pass of the template, like the body of createPass.' },
    },
    additionalProperties: false,
  },
};

/** The order of the tools: templates first, then passes, then the rest. */
const areas = ['templates', 'pass'];

/**
 * Builds a tool from each operation tagged `mcp`. Sorts the tools by area, then by the depth of their path, then by the
 * path.
 */
export function toolsOf(document: OpenAPIObject): Tool[] {
  return Object.entries(document.paths)
    .flatMap(([path, item]) =>
      (Object.entries(item) as [string, Operation][])
        .filter(([, { tags }]) => tags?.includes('mcp'))
        .map(([method, operation]) => toTool(document, method.toUpperCase(), path, operation)),
    )
    .sort((one, other) => placeOf(one) - placeOf(other) || one.path.localeCompare(other.path));
}

function placeOf({ path }: Tool): number {
  const [, , area = '', ...rest] = path.split('/');
  const place = areas.indexOf(area);
  return (place === -1 ? areas.length : place) * 100 + rest.length;
}

function toTool(document: OpenAPIObject, method: string, path: string, operation: Operation): Tool {
  const { operationId: name = '', summary = name, description = '' } = operation;
  // Omit the account, because tools act only on the account of the credential, from which plans read the current state.
  const parameters = ((operation.parameters ?? []) as Parameter[]).filter(
    (parameter) => parameter.name !== 'accountId',
  );
  const queryNames = parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name);
  const hints = hintsOf(name, method, path);
  const isRepeatable = !hints.idempotentHint && parameters.some((parameter) => parameter.name === 'Idempotency-Key');
  const body = bodyOf(operation);
  return {
    name,
    title: summary,
    // Join summary and description, because many clients show a model only the description.
    description: [`${summary}.`, description].filter(Boolean).join(' '),
    method,
    path,
    queryNames,
    headerNames: isRepeatable ? { idempotencyKey: 'idempotency-key' } : {},
    bodyType: body?.type ?? null,
    input: standaloneSchema(document, inputSchema(parameters, body, isRepeatable)),
    output: outputSchema(document, operation),
    hints,
  };
}

const idempotencyKey = {
  type: 'string',
  pattern: '^[!-~]{1,255}$',
  description: 'A text that you make up for this call. A repetition with it returns the first result and does nothing.',
};

function inputSchema(parameters: readonly Parameter[], body: Body | null, isRepeatable: boolean): JsonSchema {
  const taken = parameters.filter((parameter) => parameter.in !== 'header');
  const properties = taken.map((parameter): [string, JsonSchema] => [
    parameter.name,
    { ...parameter.schema, ...described(parameter) },
  ]);
  if (isRepeatable) properties.push(['idempotencyKey', idempotencyKey]);
  return {
    type: 'object',
    properties: Object.fromEntries(body ? [...properties, ['body', asObject(body.schema)]] : properties),
    required: [
      ...taken.filter(({ required }) => required).map((parameter) => parameter.name),
      ...(body?.required ? ['body'] : []),
    ],
    additionalProperties: false,
  };
}

/**
 * Declares the type `object` even beside a reference or alternatives, because some models would otherwise send a JSON
 * string.
 */
function asObject(schema: JsonSchema): JsonSchema {
  return { type: 'object', description: 'An object, not its JSON as text.', ...schema };
}

/**
 * Describes a parameter. The default format of a preview is an image, because agents cannot send an `Accept` header.
 */
function described({ name, description }: Parameter): JsonSchema {
  if (description === undefined) return {};
  return { description: name === 'format' ? description.replace('by the `Accept` header', '`png`') : description };
}

function bodyOf(operation: Operation): Body | null {
  const { content = {}, required = false } = (operation.requestBody ?? {}) as RequestBody;
  const [type, media] = Object.entries(content)[0] ?? [];
  const schema = shortBodies[operation.operationId ?? ''] ?? media?.schema;
  return type !== undefined && schema ? { type, schema, required } : null;
}

/** Returns the schema of the result; null for a tool that may return an image. */
function outputSchema(document: OpenAPIObject, { responses }: Operation): JsonSchema | null {
  const { content = {} } = (responses['200'] ?? responses['201']) as { content?: Content };
  const schema = Object.keys(content).length === 1 ? content['application/json']?.schema : undefined;
  return schema ? { type: 'object', ...standaloneSchema(document, schema) } : null;
}

function hintsOf(name: string, method: string, path: string): ToolHints {
  const readOnlyHint = method === 'GET' || path.endsWith('/lint');
  return {
    readOnlyHint,
    destructiveHint: !readOnlyHint && (plannedOperations.has(name) || method === 'DELETE'),
    idempotentHint: readOnlyHint || name !== 'createPass',
    openWorldHint: false,
  };
}

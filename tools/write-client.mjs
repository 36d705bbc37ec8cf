/**
 * npm run docs:client: generates the parts of libs/clients/client that come from docs/openapi.json and docs/errors.md.
 * With --check, it writes nothing, and exits with 1 if a file is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { wholeDocument } from './whole-document.mjs';

const root = new URL('../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const NDJSON = 'application/x-ndjson';
const warning = '// Written by `npm run docs:client` from docs/openapi.json and docs/errors.md: do not edit.\n';
/** The options of every call, in addition to the parameters of its operation. */
const options = ['body', 'idempotencyKey', 'ifMatch', 'signal', 'timeoutMs', 'retries'];
const headers = {
  'Idempotency-Key': {
    name: 'idempotencyKey',
    says: 'Default: a new key for each call, so that a retry never repeats the change.',
  },
  'If-Match': { name: 'ifMatch', says: '`etagOf` what you read; 412 if the resource has changed since.' },
};
/**
 * Matches paths that the client leaves out: those for phones, platforms and browsers, such as pages, links and the
 * steps of a sign-in, and the path of the metrics.
 */
const notForClients =
  /^\/(?!v1\/|health\/)|^\/v1\/(devices|passes|log|payments)\b|^\/v1\/auth\/oidc\/(start|callback|confirm)|^\/v1\/walletB\/|^\/v1\/pass\/\{accountId\}/;

/** Generates the files. @returns the text of each file by its path */
async function clientFiles() {
  const document = wholeDocument(JSON.parse(read('docs/openapi.json')));
  const operations = Object.entries(document.paths)
    .filter(([path]) => !notForClients.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
    )
    .sort((a, b) => (a.operationId < b.operationId ? -1 : 1));
  const folder = 'libs/clients/client/src/generated';
  const codes = errorCodes(read('docs/errors.md'));
  return new Map([
    [`${folder}/api.ts`, await typesOf(operations, document.components.schemas)],
    [`${folder}/operations.ts`, tableOf(operations)],
    [`${folder}/errors.ts`, errorsOf(codes)],
    [`${folder}/error-codes.ts`, errorCodesOf(codes)],
  ]);
}

const isLines = ({ requestBody }) => requestBody?.content[NDJSON] !== undefined;

/** Describes each operation for the type generator: a schema of its input, and a schema of its response. */
async function typesOf(operations, schemas) {
  const calls = operations.filter((operation) => !isLines(operation));
  const ours = {
    Operations: objectOf(calls.map((operation) => [operation.operationId, operationSchema(operation)])),
    LineOperations: objectOf(operations.filter(isLines).map((one) => [one.operationId, operationSchema(one)])),
  };
  const components = { schemas: { ...used(ours, schemas), ...ours } };
  const document = { openapi: '3.1.0', info: { title: 'API', version: '1' }, paths: {}, components };
  const nodes = await openapiTS(/** @type {import('openapi-typescript').OpenAPI3} */ (document), {
    silent: true,
    transform: bytes,
  });
  const top = nodes.flatMap((node) => {
    const name = /** @type {ts.InterfaceDeclaration} */ (node).name?.text;
    if (['paths', 'webhooks', '$defs', 'operations'].includes(name)) return [];
    return name === 'components' ? declarations(node) : [node];
  });
  return `${warning}/* eslint-disable */\n` + astToString(top).replace(/components\["schemas"\]\["(\w+)"\]/g, '$1');
}

/** Writes each schema as a separate declaration with its comment. */
function declarations(components) {
  const schemas = components.members.find(({ name }) => name.text === 'schemas');
  return schemas.type.members.map((member) => {
    const { factory } = ts;
    const exported = [factory.createModifier(ts.SyntaxKind.ExportKeyword)];
    const { name, type } = member;
    const declaration = ts.isTypeLiteralNode(type)
      ? factory.createInterfaceDeclaration(exported, name.text, undefined, undefined, type.members)
      : factory.createTypeAliasDeclaration(exported, name.text, undefined, type);
    return ts.setSyntheticLeadingComments(declaration, ts.getSyntheticLeadingComments(member));
  });
}

function operationSchema({ operationId, summary, description, parameters = [], requestBody, responses }) {
  const given = parameters.map(({ name, in: place, required, description: says, schema }) => {
    const header = place === 'header' ? headers[name] : undefined;
    if (place === 'header' ? !header : options.includes(name)) throw new Error(`${operationId}: parameter ${name}`);
    if (header) return [header.name, { type: 'string', description: header.says }, required];
    return [name, { ...schema, default: undefined, example: undefined, description: says }, required];
  });
  const body = bodySchema(requestBody);
  const all = [...given, ...(body ? [['body', body, requestBody.required]] : [])];
  const response = responseSchema(responses);
  const parts = [
    ...(all.length > 0 ? [['request', objectOf(all)]] : []),
    ...(response ? [['response', response]] : []),
  ];
  const text = [summary, description].filter(Boolean).join('. ').replaceAll('..', '.');
  return { ...objectOf(parts), description: text };
}

function bodySchema(requestBody) {
  if (!requestBody || requestBody.content[NDJSON]) return null;
  if (requestBody.content['multipart/form-data']) return { type: 'string', format: 'x-form' };
  return requestBody.content['application/json'].schema;
}

/**
 * Joins the schemas of all successful responses of an operation, because the request decides which of them a call gets.
 */
function responseSchema(responses) {
  const contents = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    status.startsWith('2') ? Object.entries(content) : [],
  );
  const schemas = contents.filter(([type]) => type !== NDJSON).map(([, { schema }]) => schema);
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return different.length > 1 ? { anyOf: different } : different[0];
}

/** Builds an object schema. @param properties name, schema, and false if the property is optional */
function objectOf(properties) {
  return {
    type: 'object',
    required: properties.filter(([, , required = true]) => required).map(([name]) => name),
    properties: Object.fromEntries(properties.map(([name, schema]) => [name, schema])),
  };
}

/** Collects the names of the schemas to which a schema refers, directly or indirectly. */
function used(from, schemas) {
  const reached = new Set();
  const walk = (value) => {
    for (const [, name] of JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (reached.has(name)) continue;
      reached.add(name);
      walk(schemas[name]);
    }
  };
  walk(from);
  // Add these schemas, because no operation refers to them: they describe single lines of NDJSON.
  for (const name of ['PassRequest', 'NewMemberRequest', 'MemberLinks', 'ErrorBody'])
    reached.add(name).add(walk(schemas[name]));
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => reached.has(name)));
}

/** @param {import('openapi-typescript').SchemaObject} schema */
function bytes({ format }) {
  if (format === 'binary') return ts.factory.createTypeReferenceNode('Uint8Array');
  return format === 'x-form' ? ts.factory.createTypeReferenceNode('FormData') : undefined;
}

/** Writes the table of operations, which is the only part that exists at run time. */
function tableOf(operations) {
  const { version } = JSON.parse(read('libs/clients/client/package.json'));
  const rows = operations.map(({ operationId, method, path, parameters = [], responses }) => {
    const keyed = parameters.some(({ name }) => name === 'Idempotency-Key');
    const media = Object.values(responses).some(({ content = {} }) => content['image/png']);
    const row = [method, path, ...(keyed ? ['keyed'] : media ? ['media'] : [])];
    return `  ${operationId}: '${row.join(' ')}',`;
  });
  return `${warning}
/** Method and path. \`keyed\`: it takes an Idempotency-Key. \`media\`: it may respond with something other than JSON. */
export const operations = {
${rows.join('\n')}
} as const;

export const version = '${version}';
`;
}

/** Reads the table of error codes. */
function errorCodes(markdown) {
  const rows = [...markdown.matchAll(/^\| `(\w+)` +\| (\d+) +\| (.+?) +\| (.+?) +\|$/gm)];
  if (rows.length < 30) throw new Error('docs/errors.md has no table of codes any more');
  return rows.map(([, code, status, cause, fix]) => ({ code, status, cause, fix, name: className(code) }));
}

/** Writes an error class for each code. */
function errorsOf(codes) {
  const classes = codes.map(
    ({ code, status, cause, fix, name }) =>
      `/** ${status}. ${cause}. ${fix}. */\n` +
      `export const ${name} = /* @__PURE__ */ errorClass('${code}');\n` +
      `export type ${name} = CodedError<'${code}'>;\n`,
  );
  return `${warning}import { type CodedError, errorClass } from '../error-classes.js';
export type { ErrorCode } from './error-codes.js';

${classes.join('\n')}`;
}

/**
 * Writes the type of all codes to a separate file without imports. Otherwise, this file and the classes would import
 * each other.
 */
function errorCodesOf(codes) {
  return `${warning}/** The codes of the service's own responses. */
export type ErrorCode =
${codes.map(({ code }) => `  | '${code}'`).join('\n')};
`;
}

const className = (code) => code.replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());

export async function writeClient() {
  for (const [path, text] of await clientFiles()) writeFileSync(new URL(path, root), text);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes('--check')) {
    const differing = [...(await clientFiles())].filter(([path, text]) => read(path) !== text);
    for (const [path] of differing) console.error(`${path} is not what npm run docs:client writes.`);
    process.exitCode = differing.length === 0 ? 0 : 1;
  } else await writeClient();
}

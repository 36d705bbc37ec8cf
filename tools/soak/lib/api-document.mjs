// The API document of a node: its operations, their request bodies and their responses.
import { createRequire } from 'node:module';
import { wholeDocument } from '../../whole-document.mjs';

// Use the validator that the tests of Google's schema use.
const Ajv = createRequire(new URL('../../../libs/rendering/google-wallet-schema/package.json', import.meta.url))(
  'ajv',
).default;

/** Error codes that any operation may return, even if the document does not list them. */
const ANYWHERE = [
  '400 validation_failed',
  '401 unauthorized',
  '404 route_not_found',
  '405 method_not_allowed',
  '413 payload_too_large',
  '429 rate_limited',
  '431 payload_too_large',
  '503 not_ready',
  '503 overloaded',
];
const ERROR_PROPERTIES = 'code,docUrl,error,message,statusCode';

export class ApiDocument {
  #ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false });
  #validators = new Map();

  /** Reads the document that the node at `url` serves. */
  static async of(url) {
    const response = await fetch(`${url}/openapi.json`);
    return new ApiDocument(wholeDocument(await response.json()));
  }

  constructor(source) {
    this.source = source;
    this.operations = Object.entries(source.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        operation.operationId ? [operationOf(path, method.toUpperCase(), operation)] : [],
      ),
    );
  }

  /** Returns the schema to which a reference points. */
  resolved(schema) {
    const name = /^#\/components\/schemas\/(.+)$/.exec(schema?.$ref ?? '')?.[1];
    return name ? this.source.components.schemas[name] : (schema ?? {});
  }

  /** Returns the variant of a schema that has all properties of a body, and its `type`. */
  variantOf(schema, body) {
    const { oneOf, anyOf, ...only } = this.resolved(schema);
    const variants = (oneOf ?? anyOf ?? [only]).map((one) => this.resolved(one));
    /** @param {{ properties?: Record<string, any> }} variant */
    const fits = ({ properties = {} }) =>
      Object.keys(body).every((name) => name in properties) &&
      (this.resolved(properties.type ?? {}).enum ?? [body.type]).includes(body.type);
    return variants.find(fits) ?? variants[0];
  }

  /** Builds a value from the examples of a schema. Omits optional properties without an example. */
  exampleOf(reference) {
    const schema = this.resolved(reference);
    if (schema.example !== undefined) return structuredClone(schema.example);
    const part = schema.oneOf?.[0] ?? schema.anyOf?.[0] ?? schema.allOf?.[0];
    if (part) return this.exampleOf(part);
    const properties = Object.entries(schema.properties ?? {});
    const named = properties.map(([name, property]) => [name, this.resolved(property).example]);
    return Object.fromEntries(named.filter(([, example]) => example !== undefined));
  }

  /** Returns the error of a response, or null. Checks its status, its code, and the shape of its body. */
  problem(operation, { status, headers, text }) {
    if (!/^[\w.-]{1,128}$/.test(headers['x-request-id'] ?? '')) return `${status} without X-Request-Id`;
    if (status >= 500) return this.#serverFault(status, headers, text);
    const declared = operation.responses[status];
    const type = (headers['content-type'] ?? '').split(';')[0];
    // Operations that a browser opens return their errors as HTML pages.
    if (status >= 400 && type === 'text/html') return declared || status === 429 ? null : `${status}, a page`;
    if (status >= 400) return this.#errorFault(operation, status, text);
    if (!declared) return `${status} is not declared`;
    const schema = declared.content?.[type]?.schema;
    if (text !== '' && declared.content && !declared.content[type])
      return `${status} is declared as ${Object.keys(declared.content)}`;
    if (!schema || !/[/+]json$/.test(type)) return null;
    return this.#shapeFault(schema, JSON.parse(text));
  }

  #serverFault(status, headers, text) {
    const isExcused = status === 503 && headers['retry-after'] !== undefined;
    return isExcused ? null : `${status} ${text.slice(0, 200)}`;
  }

  #errorFault(operation, status, text) {
    const body = parsed(text);
    if (
      Object.keys(body ?? {})
        .sort()
        .join() !== ERROR_PROPERTIES
    )
      return `${status} with ${text.slice(0, 200)}`;
    if (body.statusCode !== status) return `${status} says ${body.statusCode}`;
    const isDeclared = [...operation.errors, ...ANYWHERE].includes(`${status} ${body.code}`);
    if (!isDeclared) return `${status} ${body.code} is not declared: ${body.message}`;
    // Ignore the quoted parts of the message, because they come from the request.
    const own = body.message.replace(/"[^"]*"/g, '');
    return /\b(?:SELECT|node_modules|undefined|NaN|Error:)\b|\[object |\n {4}at /.test(own) ? body.message : null;
  }

  #shapeFault(schema, body) {
    let validate = this.#validators.get(schema);
    if (!validate) this.#validators.set(schema, (validate = this.#ajv.compile(this.#closed(schema))));
    return validate(body) ? null : `the body breaks its schema: ${this.#ajv.errorsText(validate.errors)}`;
  }

  /**
   * Returns a schema with resolved references and `nullable` in ajv's form. The result rejects undeclared properties,
   * unless the schema explicitly allows them.
   */
  #closed(reference, depth = 0) {
    const schema = this.resolved(reference);
    if (depth > 30) return {};
    const inner = (value) => this.#closed(value, depth + 1);
    const { nullable, example: _, discriminator: __, ...rest } = schema;
    if (rest.allOf) return nullableIf(nullable, inner(this.#merged(rest)));
    const closed = { ...rest };
    for (const name of ['oneOf', 'anyOf']) if (rest[name]) closed[name] = rest[name].map(inner);
    if (rest.items) closed.items = inner(rest.items);
    if (rest.properties) {
      closed.properties = Object.fromEntries(
        Object.entries(rest.properties).map(([key, value]) => [key, inner(value)]),
      );
      closed.additionalProperties = rest.additionalProperties ?? false;
    }
    if (typeof closed.additionalProperties === 'object')
      closed.additionalProperties = inner(closed.additionalProperties);
    return nullableIf(nullable, closed);
  }

  #merged({ allOf, ...own }) {
    const parts = [own, ...allOf.map((part) => this.resolved(part))];
    const plain = parts.map((part) => (part.allOf ? this.#merged(part) : part));
    if (!plain.some(({ properties }) => properties)) return Object.assign({}, ...plain);
    const required = plain.flatMap((part) => part.required ?? []);
    const properties = Object.assign({}, ...plain.map((part) => part.properties ?? {}));
    return { type: 'object', properties, ...(required.length > 0 && { required: [...new Set(required)] }) };
  }
}

const nullableIf = (nullable, schema) => (nullable ? { anyOf: [schema, { type: 'null' }] } : schema);

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function operationOf(path, method, source) {
  const credentials = (source.security ?? []).flatMap((one) => Object.keys(one));
  const errors = Object.entries(source.responses).flatMap(([status, response]) => {
    const parts = response.content?.['application/json']?.schema?.allOf ?? [];
    return parts.flatMap((part) => part.properties?.code?.enum ?? []).map((code) => `${status} ${code}`);
  });
  return {
    id: source.operationId,
    name: `${method} ${path}`,
    method,
    path,
    /** True if the operation requires a credential. */
    isSecured: credentials.length > 0 && source.security.every((one) => Object.keys(one).length > 0),
    /** True if the operation takes the token of a pass, which only phones send. */
    isForPhones: credentials.includes('passToken'),
    parameters: source.parameters ?? [],
    bodies: source.requestBody?.content ?? {},
    responses: source.responses,
    errors,
  };
}

/** Replaces the parameters in a path with their values. A missing value becomes `x`. */
export function filled(path, values) {
  return path.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? 'x');
}

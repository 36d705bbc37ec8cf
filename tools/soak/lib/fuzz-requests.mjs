/**
 * Random requests that are built from the API document. Their bodies match a schema or nearly match it. Others have
 * hostile values, or wrong forms, headers, methods and encodings.
 */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { filled } from './api-document.mjs';
import {
  anyText,
  anyValue,
  longText,
  odderText,
  segments,
  queryValue,
  headers,
  types,
  methods,
  brokenBodies,
} from './fuzz-values.mjs';

/** The properties of templates that need the address of an image that exists. */
const imageNames = new Set(['icon', 'logo', 'banner', 'background', 'thumbnail']);

export class FuzzRequests {
  #schemas = new Map();

  /**
   * Creates a generator of requests.
   * @param document the API document
   * @param ids the ids of existing resources, by the name of the path parameter
   * @param credentials values of the header Authorization, by name
   * @param ended the operations to leave out, because they would end the credentials
   * @param images the address of the folder with the sample images
   */
  constructor(document, { ids, credentials, ended, images }) {
    this.document = document;
    this.ids = ids;
    this.credentials = credentials;
    this.images = fc.constantFrom(...['icon', 'logo', 'banner'].map((name) => `${images}${name}.png`));
    this.operations = document.operations.filter(({ id }) => !ended.includes(id));
  }

  /** Generates a request: its operation, and the bytes to send. */
  arbitrary() {
    const operation = fc.constantFrom(...this.operations);
    return operation.chain((one) => this.#requestOf(one));
  }

  #requestOf(operation) {
    const parts = {
      path: this.#path(operation),
      query: this.#query(operation),
      headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: headers }),
      credential: fc.oneof(
        { weight: 5, arbitrary: fc.constant(this.#rightCredential(operation)) },
        { weight: 2, arbitrary: fc.constantFrom(...Object.keys(this.credentials)) },
      ),
      body: this.#body(operation),
      method: fc.oneof(
        { weight: 25, arbitrary: fc.constant(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom(...methods) },
      ),
      type: fc.oneof({ weight: 15, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constantFrom(...types) }),
      encoding: fc.oneof(
        { weight: 20, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.constantFrom('gzip', 'br', 'gzip, gzip', 'gzip!') },
      ),
    };
    return fc.record(parts).map((made) => this.#onTheWire(operation, made));
  }

  #rightCredential({ isSecured, isForPhones, path }) {
    if (isForPhones) return 'phone';
    if (!isSecured) return 'nobody';
    return path.startsWith('/v1/memberships') ? 'key' : 'admin';
  }

  #onTheWire(operation, { path, query, headers: odd, credential, body, method, type, encoding }) {
    const authorization = this.credentials[credential];
    let bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    // Compress only for `gzip`. The other values test a declared encoding that the bytes do not have.
    if (encoding === 'gzip' && bytes) bytes = gzipSync(bytes);
    const known = Object.keys(operation.bodies)[0] ?? 'application/json';
    const content = bytes && {
      'Content-Type': type ?? (known.startsWith('multipart') ? `${known}; boundary=x` : known),
      'Content-Length': String(bytes.length),
      ...(encoding && { 'Content-Encoding': encoding.replace('!', '') }),
    };
    const sent = { ...content, ...(authorization && { Authorization: authorization }), ...odd };
    return { operation, credential, method, target: path + query, headers: sent, body: bytes };
  }

  #path({ path }) {
    const known = fc.constant(filled(path, this.ids));
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    if (names.length === 0) return known;
    const odd = fc
      .tuple(fc.constantFrom(...names), segments)
      .map(([name, text]) => filled(path, { ...this.ids, [name]: text }));
    return fc.oneof({ weight: 6, arbitrary: known }, { weight: 1, arbitrary: odd });
  }

  #query({ parameters, id }) {
    const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
    const name = fc.constantFrom(...(names.length > 0 ? names : ['colour']), 'limit', '__proto__', 'a[b]');
    const pair = fc.tuple(name, queryValue).map(([key, value]) => `${key}=${value}`);
    const odd = fc.array(pair, { minLength: 1, maxLength: 3 }).map((pairs) => `?${pairs.join('&')}`);
    const right = /Bundle/.test(id) ? `?pass=${this.ids.templateId}:${this.ids.passId}` : '';
    return fc.oneof({ weight: names.length > 0 ? 1 : 8, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: odd });
  }

  #body({ bodies }) {
    const [type] = Object.keys(bodies);
    if (!type)
      return fc.oneof(
        { weight: 20, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom('{}', 'x') },
      );
    if (!type.includes('json') || type.includes('ndjson')) return this.#textBody(bodies[type], type);
    const valid = this.#valueOf(bodies[type].schema);
    const likely = this.#likely(bodies[type]);
    const nearly = fc.tuple(valid, anyValue, fc.nat()).map(([body, value, at]) => withOneChanged(body, value, at));
    return fc.oneof(
      { weight: 3, arbitrary: valid },
      { weight: 8, arbitrary: likely },
      { weight: 4, arbitrary: nearly },
      { weight: 1, arbitrary: fc.constantFrom(...brokenBodies) },
      { weight: 1, arbitrary: anyValue },
    );
  }

  /** Generates an example of the document in which at most three properties have other values that the schema accepts. */
  #likely({ schema, examples, example }) {
    const known = [
      ...Object.values(examples ?? {}).map(({ value }) => value),
      example,
      this.document.exampleOf(schema),
    ];
    const bodies = known.filter((value) => value !== null && typeof value === 'object');
    const { oneOf = [schema] } = this.document.resolved(schema);
    const properties = Object.entries(Object.assign({}, ...oneOf.map((one) => this.document.resolved(one).properties)));
    if (bodies.length === 0 || properties.length === 0) return this.#valueOf(schema);
    const change = fc
      .constantFrom(...properties)
      .chain(([name, part]) => fc.tuple(fc.constant(name), this.#propertyOf(name, part)));
    return fc
      .tuple(fc.constantFrom(...bodies), fc.array(change, { maxLength: 3 }), this.images)
      .map(([body, changes, image]) => ({ ...withImages(body, image), ...Object.fromEntries(changes) }));
  }

  #propertyOf(name, part) {
    return imageNames.has(name) ? this.images : this.#valueOf(part, 1);
  }

  #textBody({ schema, examples, example }, type) {
    const known = Object.values(examples ?? {}).map(({ value }) => value);
    if (example) known.push(example);
    const lines = fc.array(
      fc.oneof(
        fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
        anyText,
      ),
      { maxLength: 5 },
    );
    const odd = lines.map((all) => all.join('\n'));
    const form = fc
      .dictionary(fc.constantFrom(...Object.keys(schema.properties ?? { code: 1 })), anyText)
      .map((values) => {
        const pairs = Object.entries(values).map(([name, value]) => [name, value.toWellFormed()]);
        return new URLSearchParams(pairs).toString();
      });
    const part = anyText.map(
      (text) => `--x\r\nContent-Disposition: form-data; name="icon"; filename="i.png"\r\n\r\n${text}\r\n--x--\r\n`,
    );
    const likely = type.startsWith('multipart') ? part : type.includes('urlencoded') ? form : odd;
    return known.length > 0
      ? fc.oneof(fc.constantFrom(...known), likely)
      : fc.oneof({ weight: 4, arbitrary: likely }, odd);
  }

  /** Generates a value that a schema accepts, as far as the schema defines it. */
  #valueOf(reference, depth = 0) {
    const schema = this.document.resolved(reference);
    const known = this.#schemas.get(schema);
    if (known) return known;
    const made = this.#makeValue(schema, depth);
    if (depth < 2) this.#schemas.set(schema, made);
    return made;
  }

  /** @param {Record<string, any>} described a schema; its type may be a list, such as `["string", "null"]` */
  #makeValue(described, depth) {
    /** @type {Record<string, any>} */
    const schema = { ...described, type: [described.type].flat().find((type) => type !== 'null') };
    const samples = [schema.example, schema.default, ...(schema.enum ?? [])].filter((value) => value !== undefined);
    const inner = (part) => this.#valueOf(part, depth + 1);
    const variants = schema.oneOf ?? schema.anyOf;
    if (variants && depth < 6) return fc.oneof(...variants.map(inner));
    if (schema.allOf && depth < 6) return inner(schema.allOf[0]);
    if (schema.type === 'object' && schema.properties && depth < 6) {
      const valueOf = ([name, part]) => [name, imageNames.has(name) ? this.images : inner(part)];
      const model = Object.fromEntries(Object.entries(schema.properties).map(valueOf));
      return fc.record(model, { requiredKeys: schema.required ?? [] });
    }
    if (schema.type === 'array' && depth < 6) {
      const few = fc.array(inner(schema.items), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      });
      return samples.length > 0 ? fc.oneof(fc.constantFrom(...samples), few) : few;
    }
    const plain = this.#plainValue(schema);
    return samples.length > 0 ? fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...samples) }, plain) : plain;
  }

  /** @param {Record<string, any>} schema */
  #plainValue({ type, format, pattern, minLength = 0, maxLength = 60, minimum = 0, maximum = 1e6 }) {
    if (type === 'boolean') return fc.boolean();
    if (type === 'integer') return fc.integer({ min: minimum, max: Math.max(minimum, Math.min(maximum, 1e6)) });
    if (type === 'number') return fc.double({ min: minimum, max: Math.max(minimum, maximum), noNaN: true });
    if (type === 'object')
      return fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    if (format === 'date-time')
      return fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date('2090-01-01') })
        .map((at) => at.toISOString());
    if (pattern && !/[(]\?/.test(pattern)) return fc.stringMatching(new RegExp(pattern), { size: '-1' });
    if (format === 'email') return fc.uuid().map((name) => `${name}@example.com`);
    if (format === 'uri') return fc.webUrl();
    const short = fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) });
    return fc.oneof({ weight: 4, arbitrary: short }, { weight: 1, arbitrary: longText(maxLength) }, odderText);
  }
}

/** Returns a body whose images exist. */
function withImages(body, image) {
  const found = Object.keys(body).filter((name) => imageNames.has(name) && typeof body[name] === 'string');
  return { ...body, ...Object.fromEntries(found.map((name) => [name, image])) };
}

/** Replaces one part of a value, or adds one. */
function withOneChanged(body, value, at) {
  if (typeof body !== 'object' || body === null) return value;
  const keys = [...Object.keys(body), 'colour'];
  const key = keys[at % keys.length];
  const own = Object.hasOwn(body, key) ? body[key] : undefined;
  const changed =
    typeof own === 'object' && own !== null && at % 3 > 0 ? withOneChanged(own, value, Math.floor(at / 3)) : value;
  return Array.isArray(body) ? [...body.slice(0, at % 3), changed] : { ...body, [key]: changed };
}

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
  knownValues,
  headers,
  types,
  methods,
  brokenBodies,
  withOneChanged,
} from './fuzz-values.mjs';

/** The properties of templates that need the address of an image that exists. */
const imageNames = new Set(['icon', 'logo', 'banner', 'background', 'thumbnail', 'artwork']);
/** Matches the names of operations after which other requests are rejected until the account is renewed. */
const ending = /^DELETE |\/(?:archive|void|redeem|cancel|suspend|erase)$/;

export class FuzzRequests {
  #schemas = new Map();

  /**
   * Creates a generator of requests.
   * @param document the API document
   * @param ids the ids of existing resources, by the name of the path parameter
   * @param credentials values of the header Authorization, by name
   * @param ended the operations to leave out, because they would end the credentials
   * @param images the address of the folder with the sample images
   * @param icon the bytes of a sample image
   * @param only a pattern of the paths to call
   */
  constructor(document, { ids, credentials, ended, images, icon, only = /./ }) {
    this.document = document;
    this.ids = ids;
    this.credentials = credentials;
    this.icon = icon;
    this.images = fc.constantFrom(...['icon', 'logo', 'banner'].map((name) => `${images}${name}.png`));
    this.operations = document.operations.filter(({ id, path }) => !ended.includes(id) && only.test(path));
  }

  /** Generates a request: its operation, and the bytes to send. */
  arbitrary() {
    const weighted = this.operations.map((one) => ({
      weight: ending.test(one.name) ? 1 : 10,
      arbitrary: fc.constant(one),
    }));
    return fc.oneof(...weighted).chain((one) => this.#requestOf(one));
  }

  #requestOf(operation) {
    const parts = {
      path: this.#path(operation),
      query: this.#query(operation),
      headers: fc.oneof({ weight: 8, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
      credential: fc.oneof(
        { weight: 20, arbitrary: fc.constant(this.#rightCredential(operation)) },
        { weight: 1, arbitrary: fc.constantFrom(...Object.keys(this.credentials)) },
      ),
      body: this.#body(operation),
      method: fc.oneof(
        { weight: 25, arbitrary: fc.constant(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom(...methods) },
      ),
      type: fc.oneof({ weight: 25, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constantFrom(...types) }),
      encoding: fc.oneof(
        { weight: 25, arbitrary: fc.constant(null) },
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

  #onTheWire(operation, { path, query, headers: odd, credential, body: drawn, method, type, encoding }) {
    // The id in the example is that of a new pass.
    const body = drawn?.id === 'ada' && path.endsWith(`/${this.ids.passId}`) ? { ...drawn, id: undefined } : drawn;
    const authorization = this.credentials[credential];
    const isText = typeof body === 'string' || Buffer.isBuffer(body);
    let bytes = body === undefined ? undefined : Buffer.from(isText ? body : JSON.stringify(body));
    // Compress only for `gzip`. The other values test a declared encoding that the bytes do not have.
    if (encoding === 'gzip' && bytes) bytes = gzipSync(bytes);
    const known = Object.keys(operation.bodies)[0] ?? 'application/json';
    const content = bytes && {
      'Content-Type': type ?? (known.startsWith('multipart') ? `${known}; boundary=x` : known),
      'Content-Length': String(bytes.length),
      ...(encoding && { 'Content-Encoding': encoding.replace('!', '') }),
    };
    const sent = { ...content, ...(authorization && { Authorization: authorization }), ...odd };
    return {
      operation,
      credential,
      method,
      target: this.#targetOf(operation, path, body) + query,
      headers: sent,
      body: bytes,
    };
  }

  /**
   * Returns the path of the template that accepts a body. Templates with passes keep their type, and only some types have
   * a primary value.
   */
  #targetOf({ id, path: form }, path, body) {
    const isOther = id === 'upsertTemplate' && body?.type && body.type !== 'offer';
    const isGeneric = form.startsWith('/v1/pass/{templateId}') && body?.primaryValue;
    const templateId = isOther ? 'other' : isGeneric ? 'generic' : this.ids.templateId;
    return path === filled(form, this.ids) ? filled(form, { ...this.ids, templateId }) : path;
  }

  #path({ path }) {
    const known = fc.constant(filled(path, this.ids));
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    if (names.length === 0) return known;
    const odd = fc
      .tuple(fc.constantFrom(...names), segments)
      .map(([name, text]) => filled(path, { ...this.ids, [name]: text }));
    return fc.oneof({ weight: 20, arbitrary: known }, { weight: 1, arbitrary: odd });
  }

  #query({ parameters, id, bodies }) {
    const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
    const name = fc.constantFrom(...(names.length > 0 ? names : ['colour']), 'limit', '__proto__', 'a[b]');
    const pair = fc.tuple(name, queryValue).map(([key, value]) => `${key}=${value}`);
    const odd = fc.array(pair, { minLength: 1, maxLength: 3 }).map((pairs) => `?${pairs.join('&')}`);
    const right = /Bundle/.test(id) ? `?pass=${this.ids.templateId}:${this.ids.passId}` : '';
    const isRead = names.length > 0 && Object.keys(bodies).length === 0;
    return fc.oneof({ weight: isRead ? 1 : 25, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: odd });
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
    const nearly = fc.tuple(likely, anyValue, fc.nat()).map(([body, value, at]) => withOneChanged(body, value, at));
    return fc.oneof(
      { weight: 3, arbitrary: valid },
      { weight: 24, arbitrary: likely },
      { weight: 4, arbitrary: nearly },
      { weight: 1, arbitrary: fc.constantFrom(...brokenBodies) },
      { weight: 1, arbitrary: anyValue },
    );
  }

  /** Generates an example of the document in which at most two properties have other values that the schema accepts. */
  #likely({ schema, examples, example }) {
    const known = [
      ...Object.values(examples ?? {}).map(({ value }) => value),
      example,
      this.document.exampleOf(schema),
    ];
    const bodies = known.filter((value) => value !== null && typeof value === 'object');
    if (bodies.length === 0) return this.#valueOf(schema);
    return fc.constantFrom(...bodies).chain((body) => {
      const properties = Object.entries(this.document.variantOf(schema, body).properties ?? {});
      const changeable = properties.filter(([name]) => name !== 'type');
      if (changeable.length === 0) return fc.constant(body);
      const change = fc
        .constantFrom(...changeable)
        .chain(([name, part]) => fc.tuple(fc.constant(name), this.#propertyOf(name, part)));
      return fc
        .tuple(fc.array(change, { maxLength: 2 }), this.images, knownValues.email)
        .map(([changes, image, email]) => ({
          ...withImages(body, image),
          ...('email' in body && { email }),
          ...Object.fromEntries(changes),
        }));
    });
  }

  #propertyOf(name, part) {
    return this.#namedValue(name) ?? this.#valueOf(part, 1);
  }

  /** Generates a value for a property that a schema does not define completely; undefined for other properties. */
  #namedValue(name) {
    if (imageNames.has(name)) return this.images;
    if (!Object.hasOwn(knownValues, name)) return undefined;
    return fc.oneof({ weight: 6, arbitrary: knownValues[name] }, { weight: 1, arbitrary: anyText });
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
    const part = fc
      .oneof({ weight: 4, arbitrary: fc.constant(this.icon) }, { weight: 1, arbitrary: anyText })
      .map((content) =>
        Buffer.concat([
          Buffer.from('--x\r\nContent-Disposition: form-data; name="icon"; filename="i.png"\r\n\r\n'),
          Buffer.from(content),
          Buffer.from('\r\n--x--\r\n'),
        ]),
      );
    const likely = type.startsWith('multipart') ? part : type.includes('urlencoded') ? form : odd;
    return known.length > 0
      ? fc.oneof(fc.constantFrom(...known), likely)
      : fc.oneof({ weight: 8, arbitrary: likely }, odd);
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
      const valueOf = ([name, part]) => [name, this.#namedValue(name) ?? inner(part)];
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
    return samples.length > 0
      ? fc.oneof({ weight: schema.enum ? 15 : 3, arbitrary: fc.constantFrom(...samples) }, plain)
      : plain;
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

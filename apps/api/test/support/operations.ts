import type { Json } from './json.js';
import { withNullable } from './nullable-schemas.js';
import type { RunningService } from './running-service.js';

/** One operation of the served OpenAPI document. */
export interface Operation {
  /** The id, such as `createPass`. */
  id: string;
  method: string;
  /** The path with its `{parameters}`. */
  path: string;
  /** True if it requires a credential. */
  secured: boolean;
  /** True if the credential is the token of a pass, which phones send. */
  isForPhones: boolean;
  /** The errors that it declares, such as `409 template_archived`. */
  errors: string[];
  /** The operation in the document. */
  source: Json;
}

/** Fetches the served OpenAPI document, with `nullable` in place of the type `null`. */
export async function openApi(service: RunningService): Promise<Json> {
  return withNullable((await service.request('GET', '/openapi.json')).body);
}

/** Lists every operation of a document, with references to shared parts resolved. */
export function operationsOf(document: Json): Operation[] {
  return Object.entries<Json>(withoutReferences(document).paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, source]) => ({
      id: source.operationId,
      method: method.toUpperCase(),
      path,
      secured: source.security.length > 0 && source.security.every((one: object) => Object.keys(one).length > 0),
      isForPhones: source.security.some((credential: object) => 'passToken' in credential),
      errors: Object.entries<Json>(source.responses).flatMap(([status, response]) =>
        declaredCodes(response).map((code) => `${status} ${code}`),
      ),
      source,
    })),
  );
}

/** Returns a document's paths, with references to shared parts resolved. */
export function withoutReferences(document: Json): { paths: Json } {
  const paths = JSON.stringify(document.paths, (_, value: Json) => {
    const [, kind, name] = /^#\/components\/(parameters|responses)\/(.+)$/.exec(value?.$ref ?? '') ?? [];
    return kind && name ? document.components[kind][name] : value;
  });
  return { paths: JSON.parse(paths) };
}

/** Returns the schema of an operation's body, or undefined. */
export function bodySchema({ source }: Operation, mediaType = 'application/json'): Json {
  return source.requestBody?.content?.[mediaType]?.schema;
}

/** Returns true if the service accepts a body of any media type. Phones and platforms send such bodies. */
export function isLenient({ id }: Operation): boolean {
  const ofPhones = ['registerDevice', 'unregisterDevice', 'logFromDevice'];
  return [...ofPhones, 'receiveGoogleCallback', 'receivePaymentEvent'].includes(id);
}

/** Returns true if an operation checks the media type of its body. */
export function readsJson(operation: Operation): boolean {
  return (
    operation.method !== 'GET' &&
    !isLenient(operation) &&
    operation.source.requestBody?.content?.['application/x-www-form-urlencoded'] === undefined
  );
}

/** Returns true if an operation parses its body as JSON. */
export function parsesJson(operation: Operation): boolean {
  return readsJson(operation) && !operation.source.requestBody?.content?.['multipart/form-data'];
}

/** Fills in the parameters of a path, with `x` for missing ones. */
export function filled(path: string, parameters: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? 'x');
}

function declaredCodes(response: Json): string[] {
  const parts: Json[] = response.content?.['application/json']?.schema?.allOf ?? [];
  return parts.flatMap((part) => (part.properties?.code?.enum as string[] | undefined) ?? []);
}

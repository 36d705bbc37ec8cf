import { operations } from '@passwright/client';
import { curlOf, isLines, type SentRequest, withoutSecrets } from './curl.js';
import { literalOf } from '../model/literal.js';
import { yamlOf } from '../model/yaml.js';

/** A request in all forms that people copy. */
export interface Samples {
  readonly curl: string;
  /** Code for `@passwright/client`; null for a request that is not an operation of the API. */
  readonly client: string | null;
  /** The body as YAML; null without a JSON body. */
  readonly yaml: string | null;
}

/** Returns a request in all forms. Credentials and secrets become placeholders. */
export function samplesOf(request: SentRequest): Samples {
  const body = jsonBody(request);
  return {
    curl: curlOf(request),
    client: clientCode(request, body),
    yaml: typeof body === 'object' && body !== null ? yamlOf(body) : null,
  };
}

function jsonBody({ url, body, headers }: SentRequest): unknown {
  if (isLines(headers?.['Content-Type']) || body === undefined || body === null || body instanceof FormData)
    return undefined;
  return JSON.parse(withoutSecrets(typeof body === 'string' ? body : JSON.stringify(body), url)) as unknown;
}

function clientCode(request: SentRequest, body: unknown): string | null {
  const { origin, pathname, searchParams } = new URL(request.url);
  const found = operationOf(request.method, pathname);
  if (!found) return null;
  const baseUrl = origin + found.prefix;
  const ifMatch = Object.entries(request.headers ?? {}).find(([name]) => name.toLowerCase() === 'if-match')?.[1];
  const argument = {
    ...found.parameters,
    ...Object.fromEntries([...searchParams].map(([name, value]) => [name, parsed(name, value)])),
    ...(body !== undefined && { body }),
    ...(ifMatch !== undefined && { ifMatch }),
  };
  const isForm = request.body instanceof FormData;
  const given =
    Object.keys(argument).length > 0 || isForm ? literalOf(isForm ? { ...argument, body: '…' } : argument) : '';
  return [
    `import { Passwright } from '@passwright/client';`,
    '',
    `const passwright = new Passwright({ baseUrl: ${literalOf(baseUrl)}, token: process.env.TOKEN });`,
    isLines(request.headers?.['Content-Type'])
      ? `for await (const line of passwright.${found.id}From(${given || '{}'}, lines)) console.log(line);`
      : `const result = await passwright.${found.id}(${isForm ? given.replace(`'…'`, 'form') : given});`,
    '',
  ].join('\n');
}

/** Query parameters whose values are not texts. */
const numbers = new Set(['limit', 'wait']);
const flags = new Set(['voided']);

function parsed(name: string, value: string): unknown {
  if (numbers.has(name)) return Number(value);
  return flags.has(name) ? value === 'true' : value;
}

interface Found {
  readonly id: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The part of the path before the API's own, if a proxy adds one. */
  readonly prefix: string;
}

/** Finds the operation of a request: of several matches, the one with the fewest parameters. */
function operationOf(method: string, pathname: string): Found | null {
  const at = pathname.indexOf('/v1/');
  if (at < 0) return null;
  const segments = pathname.slice(at).split('/');
  const matches = Object.entries(operations).flatMap(([id, target]) => {
    const [verb, path = ''] = target.split(' ');
    const parameters = verb === method ? parametersOf(path.split('/'), segments) : null;
    return parameters ? [{ id, parameters, prefix: pathname.slice(0, at) }] : [];
  });
  const count = ({ parameters }: Found) => Object.keys(parameters).length;
  return matches.sort((one, other) => count(one) - count(other))[0] ?? null;
}

function parametersOf(path: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (path.length !== segments.length) return null;
  const parameters: Record<string, string> = {};
  for (const [at, part] of path.entries()) {
    const segment = segments[at] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name !== undefined) parameters[name] = decodeURIComponent(segment);
    else if (part !== segment) return null;
  }
  return parameters;
}

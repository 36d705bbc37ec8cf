import type { CallToolResult } from '@modelcontextprotocol/server';
import type { JsonSchema } from './tool-schema.js';
import { isPlanned, type Tool } from './tools.js';

const UNKNOWN = ' is not known here';

/** Returns the result of a failed call. A tool's errors are results, so that the agent reads them. */
export function errorResult(body: unknown): CallToolResult {
  return { content: [{ type: 'text', text: typeof body === 'string' ? body : JSON.stringify(body) }], isError: true };
}

/**
 * Lists mistakes in a tool's arguments that the API cannot report: a missing path parameter, an unknown name, a body
 * that is not an object.
 */
export function argumentProblems(tool: Tool, given: Readonly<Record<string, unknown>>): string[] {
  const taken = [...Object.keys(tool.input.properties as object), ...(isPlanned(tool) ? ['planToken'] : [])];
  const parts = [...tool.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const sendsBody = tool.bodyType !== null && given.body !== undefined;
  return [
    ...parts.filter((name) => textOf(given[name]) === '').map((name) => `${name} must be a text that is not empty`),
    ...Object.keys(given)
      .filter((name) => !taken.includes(name))
      .map((name) => `${name} is not an argument of ${tool.name}, which takes ${taken.join(', ')}`),
    ...(sendsBody && !isObject(given.body) ? ['body must be an object, not its JSON as text'] : []),
    ...Object.keys(tool.headerNames)
      .filter((name) => given[name] !== undefined && !/^[!-~]{1,255}$/.test(textOf(given[name])))
      .map((name) => `${name} must be 1 to 255 visible ASCII characters`),
  ];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Rewrites the message of an API error for an agent: names tools instead of routes, and arguments instead of
 * properties. Lists the known properties of an object with unknown ones.
 * @param tools all tools, even those that the caller may not use
 */
export function messageForAgent(message: string, code: unknown, tool: Tool, tools: readonly Tool[]): string {
  const sentences = code === 'validation_failed' ? ofArguments(message, tool) : [message];
  let hasRoute = false;
  const named = sentences
    .join('; ')
    .replace(/\b(GET|POST|PUT|PATCH|DELETE) (\/v1(?:\/[^\s,;:]*[\w}])?)/g, (route, method: string, path: string) => {
      const name = nameOf(tools, method, path);
      hasRoute ||= name === undefined;
      return name ?? route;
    });
  return hasRoute ? `${named.replace(/\.?$/, '.')} No tool calls this route: ask the person you work for.` : named;
}

function nameOf(tools: readonly Tool[], method: string, path: string): string | undefined {
  const parts = path.split('/');
  const isSame = (part: string, at: number) => part === parts[at] || (part.startsWith('{') && parts[at] !== '');
  return tools.find((tool) => {
    const own = tool.path.split('/');
    return tool.method === method && own.length === parts.length && own.every(isSame);
  })?.name;
}

/** Rewrites the sentences about arguments. Then lists the known properties of each object that has unknown ones. */
function ofArguments(message: string, tool: Tool): string[] {
  const sentences = message.split('; ').map((each) => withArgument(each, tool));
  const places = new Set(sentences.map(placeOfUnknown).filter((place) => place !== ''));
  const taken = [...places].map((place): [string, string[]] => [place, namesAt(tool.input, place)]);
  const hints = taken.filter(([, names]) => names.length > 0);
  return [...sentences, ...hints.map(([place, names]) => `${place} of ${tool.name} takes ${names.join(', ')}`)];
}

/** Returns the path of the object with the unknown property that a sentence reports; empty for other sentences. */
function placeOfUnknown(sentence: string): string {
  if (!sentence.endsWith(UNKNOWN)) return '';
  const path = sentence.slice(0, -UNKNOWN.length);
  return path.slice(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['), 0));
}

/** Returns the names of the properties at a path, such as `body.fields[0]`; none if the schema has none. */
function namesAt(input: JsonSchema, path: string): string[] {
  const parts = path.match(/\w+/g) ?? [];
  const schema = parts.reduce<JsonSchema>((outer, part) => {
    const { properties, items } = outer as { properties?: Record<string, JsonSchema>; items?: JsonSchema };
    return resolved(input, (/^\d+$/.test(part) ? items : properties?.[part]) ?? {});
  }, input);
  return Object.keys(schema.properties ?? {});
}

/** Resolves a reference. For a nullable value, returns the first alternative. */
function resolved(input: JsonSchema, schema: JsonSchema): JsonSchema {
  const { $ref, anyOf } = schema as { $ref?: string; anyOf?: readonly JsonSchema[] };
  if (anyOf?.[0]) return resolved(input, anyOf[0]);
  const [, name] = /^#\/\$defs\/(\w+)$/.exec($ref ?? '') ?? [];
  return name === undefined ? schema : (((input.$defs ?? {}) as Record<string, JsonSchema>)[name] ?? {});
}

/** Puts `body.` before a property of the body, as in `body.title`. */
function withArgument(sentence: string, { input }: Tool): string {
  const [name] = /^[A-Za-z]\w*/.exec(sentence) ?? [];
  const given = input.properties as Record<string, JsonSchema>;
  if (name === undefined || !given.body) return sentence;
  // An unknown property always belongs to the body, because unknown arguments never reach the API.
  if (/^\S+ is not known here/.test(sentence)) return `body.${sentence}`;
  return !(name in given) && namesAt(input, 'body').includes(name) ? `body.${sentence}` : sentence;
}

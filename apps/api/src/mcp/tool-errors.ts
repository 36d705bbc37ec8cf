import type { JsonSchema } from './tool-schema.js';
import type { Tool } from './tools.js';

/**
 * Returns the message of an API error in the words of an agent: the names of tools in place of routes, and the arguments
 * of the tool in place of properties of the body. Says if no tool calls a route that the message names.
 * @param tools all tools, whatever the caller may use
 */
export function messageForAgent(message: string, code: unknown, tool: Tool, tools: readonly Tool[]): string {
  const sentences =
    code === 'validation_failed' ? message.split('; ').map((each) => withArgument(each, tool)) : [message];
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

/** Writes `body.title` for a property of the body that is not itself an argument of the tool. */
function withArgument(sentence: string, { input }: Tool): string {
  const [name] = /^[A-Za-z]\w*/.exec(sentence) ?? [];
  const given = input.properties as Record<string, JsonSchema>;
  if (name === undefined || !given.body || name in given) return sentence;
  const isProperty = name in propertiesOf(input, given.body) || /^\S+ is not known here/.test(sentence);
  return isProperty ? `body.${sentence}` : sentence;
}

function propertiesOf(input: JsonSchema, body: JsonSchema): object {
  const [, name] = /^#\/\$defs\/(\w+)$/.exec(String(body.$ref)) ?? [];
  const schema = name === undefined ? body : ((input.$defs ?? {}) as Record<string, JsonSchema>)[name];
  return schema?.properties ?? {};
}

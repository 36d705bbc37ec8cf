import type { ExampleRequest, ShownMedia, ShownOperation, ShownParameter, SwaggerSystem } from './swagger-system.js';

/**
 * A Swagger UI plug-in that builds a request from an operation's examples. The browser receives the source text of this
 * function, so it uses nothing outside of itself.
 */
export function exampleRequests({ specSelectors, fn }: SwaggerSystem): object {
  const exampleOf = ({ name, example, schema }: ShownParameter): string =>
    String(example ?? schema?.example ?? schema?.default ?? schema?.enum?.[0] ?? `{${name}}`);

  const credentialOf = ({ security = [] }: ShownOperation): string | null => {
    const [first] = security.filter((way) => Object.keys(way).length > 0);
    if (!first) return null;
    return 'passToken' in first ? 'ApplePass $TOKEN' : 'Bearer $TOKEN';
  };

  const bodyOf = (mediaType: string, { schema, examples = {} }: ShownMedia): string => {
    const [first] = Object.values(examples);
    const value = first ? first.value : fn.getSampleSchema(schema, mediaType, {});
    return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  };

  const exampleRequest = (path: string, method: string): ExampleRequest | null => {
    const operation = specSelectors.specResolvedSubtree(['paths', path, method])?.toJS();
    if (!operation) return null;
    const { parameters = [], requestBody } = operation;
    const filled = parameters
      .filter((parameter) => parameter.in === 'path')
      .reduce((result, parameter) => result.replace(`{${parameter.name}}`, exampleOf(parameter)), path);
    const query = parameters
      .filter((parameter) => parameter.in === 'query' && parameter.required)
      .map((parameter) => `${parameter.name}=${encodeURIComponent(exampleOf(parameter))}`);
    const [[mediaType, media] = [null, null]] = Object.entries(requestBody?.content ?? {});
    return {
      method: method.toUpperCase(),
      url: `${specSelectors.specJson().getIn(['servers', 0, 'url'])}${filled}${query.length > 0 ? '?' : ''}${query.join('&')}`,
      credential: credentialOf(operation),
      mediaType,
      body: mediaType !== null && media ? bodyOf(mediaType, media) : '',
    };
  };

  return { fn: { exampleRequest } };
}

import type { OpenAPIObject } from '@nestjs/swagger';
import { withSharedParts } from './shared-parts.js';

const json = (...codes: string[]) => ({
  content: { 'application/json': { examples: Object.fromEntries(codes.map((code) => [code, {}])) } },
});
const withPage = (response: ReturnType<typeof json>) => ({ content: { ...response.content, 'text/html': {} } });
const limit = { name: 'limit', in: 'query', schema: { maximum: 100 } };

/** Creates a document with one operation for each of the given responses and parameters. */
function documentOf(...operations: { parameters?: object[]; responses: object }[]): OpenAPIObject {
  const paths = Object.fromEntries(operations.map((operation, n) => [`/${n}`, { get: operation }]));
  return {
    openapi: '3.0.0',
    info: { title: '', version: '' },
    paths,
    components: { schemas: { A: {} } },
  } as OpenAPIObject;
}

it('withSharedParts moves an error that occurs twice to a shared part that is named after its codes', () => {
  const responses = { 200: {}, 401: json('unauthorized', 'token_expired'), 404: withPage(json('not_found')) };
  const { paths, components } = withSharedParts(documentOf({ responses }, { responses }));
  expect(paths['/1']).toEqual({
    get: {
      responses: {
        200: {},
        401: { $ref: '#/components/responses/UnauthorizedOrTokenExpired' },
        404: { $ref: '#/components/responses/NotFoundOrPage' },
      },
    },
  });
  expect(components).toEqual({
    schemas: { A: {} },
    parameters: {},
    responses: { NotFoundOrPage: responses[404], UnauthorizedOrTokenExpired: responses[401] },
  });
});

it('withSharedParts does not move parts that occur once, or errors whose only content is an HTML page', () => {
  const page = { content: { 'text/html': {} } };
  const document = documentOf(
    { parameters: [limit], responses: { 404: json('not_found'), 410: page } },
    { responses: { 404: json('pass_not_found'), 410: page } },
  );
  expect(withSharedParts(document).paths).toEqual(document.paths);
});

it('withSharedParts shares only the most frequent of several parameters with the same name', () => {
  const rare = { ...limit, schema: { maximum: 5 } };
  const operation = (...parameters: object[]) => ({ parameters, responses: {} });
  const document = documentOf(...[rare, limit, limit, rare, limit].map((parameter) => operation(parameter)));
  const { paths, components } = withSharedParts(document);
  expect(components?.parameters).toEqual({ limit });
  expect(Object.values(paths).map(({ get }) => get?.parameters)).toEqual([
    [rare],
    [{ $ref: '#/components/parameters/limit' }],
    [{ $ref: '#/components/parameters/limit' }],
    [rare],
    [{ $ref: '#/components/parameters/limit' }],
  ]);
});

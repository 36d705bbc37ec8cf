import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { TakesBytes } from '@passwright/core';
import { formBytes } from './page-response.js';

const html = { 'text/html': { schema: { type: 'string' as const } } };

/** Documents a page and, by status, the other pages that the route may return. */
export function ApiPages(others: Readonly<Record<number, string>> = {}): MethodDecorator {
  return applyDecorators(
    ApiOkResponse({ description: 'The page.', content: html }),
    ...Object.entries(others).map(([status, description]) =>
      ApiResponse({ status: Number(status), description: `Page: ${description}`, content: html }),
    ),
  );
}

/** Documents that the route takes a form. @param fields their names, with examples */
export function TakesForm(fields: Readonly<Record<string, string>>): MethodDecorator {
  const properties: [string, { type: string; example: string }][] = Object.entries(fields).map(([name, example]) => [
    name,
    { type: 'string', example },
  ]);
  const schema = { type: 'object' as const, properties: Object.fromEntries(properties) };
  return applyDecorators(
    TakesBytes(formBytes),
    HttpCode(200),
    ApiBody({ required: true, schema, description: 'The fields of the page’s form.' }),
  );
}

/** Documents the parameter `?code=`. */
export const ApiCodeQuery = (): MethodDecorator =>
  ApiQuery({
    name: 'code',
    required: false,
    schema: { type: 'string' },
    description: 'The code from the link in the e-mail.',
  });

/** Returns a link's parameter as text; empty if it is missing or repeated. */
export function textOf(parameter: unknown): string {
  return typeof parameter === 'string' ? parameter : '';
}

import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { TakesBytes } from '@passwright/core';
import { formBytes } from './page-answer.js';

const html = { 'text/html': { schema: { type: 'string' as const } } };

/** Documents a page; what it says otherwise is a page too, under the given statuses. */
export function ApiPages(others: Readonly<Record<number, string>> = {}): MethodDecorator {
  return applyDecorators(
    ApiOkResponse({ description: 'The page.', content: html }),
    ...Object.entries(others).map(([status, description]) =>
      ApiResponse({ status: Number(status), description: `A page: ${description}`, content: html }),
    ),
  );
}

/** The route takes what the page's form sends. @param fields their names, with examples */
export function TakesForm(fields: Readonly<Record<string, string>>): MethodDecorator {
  const properties: [string, { type: string; example: string }][] = Object.entries(fields).map(([name, example]) => [
    name,
    { type: 'string', example },
  ]);
  const schema = { type: 'object' as const, properties: Object.fromEntries(properties) };
  return applyDecorators(
    TakesBytes(formBytes),
    HttpCode(200),
    ApiBody({ required: true, schema, description: 'As browsers send forms.' }),
  );
}

/** Documents `?code=`. */
export const ApiCodeQuery = (): MethodDecorator =>
  ApiQuery({
    name: 'code',
    required: false,
    schema: { type: 'string' },
    description: 'As it stands in the link of the e-mail.',
  });

/** A parameter of a link as text: repeated or left out it is none. */
export function textOf(parameter: unknown): string {
  return typeof parameter === 'string' ? parameter : '';
}

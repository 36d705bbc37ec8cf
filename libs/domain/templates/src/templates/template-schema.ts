import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { templateExamples } from './template-examples.js';
import { templateResponses } from './template-response.dto.js';
import { templateRequests } from './template.dto.js';

/** Documents the body of an upsert: one of four types of template, distinguished by `type`, with an example of each. */
export function ApiTemplateBody(): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(...Object.values(templateRequests)),
    ApiBody({ schema: unionOf(templateRequests), examples: templateExamples }),
  );
}

/** Documents a response that is a template. */
export function ApiTemplateResponse(description: string): MethodDecorator {
  const record = {
    id: 'summer-sale',
    accountId: 'acc_3kTq9ZbXcVn1MlPoIu7Yt2',
    archived: false,
    createdAt: '2026-11-20T10:00:00.000Z',
    updatedAt: '2026-11-20T10:00:00.000Z',
  };
  const examples = Object.fromEntries(
    Object.entries(templateExamples).map(([type, { summary, value }]) => [
      type,
      { summary, value: { sharingProhibited: false, locations: [], fields: [], backFields: [], ...value, ...record } },
    ]),
  );
  return applyDecorators(
    ApiExtraModels(...Object.values(templateResponses)),
    ApiOkResponse({
      description,
      headers: { ETag: { description: 'The version of the template.', schema: { type: 'string' } } },
      content: { 'application/json': { schema: templateResponseSchema(), examples } },
    }),
  );
}

/** Documents a page of templates. */
export function ApiTemplatePage(): MethodDecorator {
  const data = {
    ...{ type: 'array', maxItems: 100, items: templateResponseSchema() },
    description: 'The entries of this page.',
  };
  const nextCursor = {
    type: 'string',
    nullable: true,
    description: 'Pass it as `cursor` for the next page; null on the last page.',
  };
  return applyDecorators(
    ApiExtraModels(...Object.values(templateResponses)),
    ApiOkResponse({
      description: 'A page of templates.',
      schema: {
        type: 'object',
        required: ['data', 'nextCursor'],
        properties: { data, nextCursor },
      },
    }),
  );
}

const templateResponseSchema = () => unionOf(templateResponses);

/** Returns the schema of a union of models, distinguished by `type`. */
export function unionOf(variants: Record<string, Type<unknown>>) {
  const paths = Object.entries(variants).map(([type, model]) => [type, getSchemaPath(model)] as const);
  return {
    oneOf: paths.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(paths) },
  };
}

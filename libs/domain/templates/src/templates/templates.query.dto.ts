import { OneOf, PageQuery, Text } from '@passwright/core';
import type { RenderType } from '@passwright/wallet-renderers';
import { templateRequests } from './template.dto.js';

/** Query of the template upsert. */
export class TemplateUpsertQuery {
  @Text({
    description: 'Acts on this account instead of the active one; the caller must be a member of it.',
    max: 64,
    optional: true,
  })
  accountId?: string;
}

/** Query of the template list. */
export class TemplatesQuery extends PageQuery {
  @OneOf({ description: 'Only templates of this type.', values: Object.keys(templateRequests), optional: true })
  type?: RenderType;

  @OneOf({
    description: 'Only archived templates, or only those that are not archived.',
    values: ['true', 'false'],
    optional: true,
  })
  archived?: 'true' | 'false';

  @Text({
    description: 'Only templates whose id or title contains this text, in any case.',
    min: 0,
    max: 100,
    optional: true,
  })
  q?: string;
}

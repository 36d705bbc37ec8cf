import { ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { templateExamples } from '../templates/template-examples.js';
import { unionOf } from '../templates/template-schema.js';
import { templateRequests } from '../templates/template.dto.js';
import { LintPass } from './template-lint.dto.js';

/** Documents the body of a lint or a preview, which `LintRequestPipe` reads. */
export class LintRequest {
  @ApiPropertyOptional({
    description: 'A template request to check without saving it. Default: the stored template.',
    ...unionOf(templateRequests),
  })
  template?: object;

  @ApiPropertyOptional({
    description: 'A pass to check together with the template, without issuing it.',
    oneOf: [{ $ref: getSchemaPath(LintPass) }],
  })
  pass?: object;
}

const seat = { key: 'seat', label: 'Seat', value: 'Row 4, 12' };

/** An example of a request body for each use of the lint. */
export const lintExamples = {
  stored: { summary: 'The stored template', value: {} },
  pass: {
    summary: 'The stored template with a pass of it',
    value: { pass: { code: 'SUMMER-0001', fields: [{ key: 'discount', label: 'Discount', value: '25%' }] } },
  },
  draft: {
    summary: 'A draft with a mistake: two fields have the same key',
    value: { template: { ...templateExamples.event.value, fields: [seat], backFields: [seat] } },
  },
};

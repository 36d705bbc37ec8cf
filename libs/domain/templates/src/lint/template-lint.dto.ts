import { ApiProperty } from '@nestjs/swagger';
import { DateTime, Flag, JsonObject, ListOf, Text } from '@passwright/core';
import { type Finding, maxFrontFields, maxLocations } from '@passwright/wallet-renderers';
import { sampleUrl } from '@passwright/images';
import { BackField, Field } from '../fields/field.dto.js';
import { Location } from '../fields/location.dto.js';

const optional = { optional: true, nullable: true };

/** A pass to examine beside its template, as a request for one would have it. It is not issued. */
export class LintPass {
  @Text({ description: 'Not looked at.', max: 64, example: 'ada', ...optional })
  id?: string | null;

  @Text({ description: 'What the barcode says.', max: 512, example: 'SUMMER-0001', ...optional })
  code?: string | null;

  @DateTime({ description: 'Not valid before.', example: '2026-06-01T00:00:00.000Z', ...optional })
  validFrom?: string | null;

  @DateTime({ description: 'Not valid from then on.', ...optional })
  expiry?: string | null;

  @Text({
    description: "The value of the template's `primaryLabel`.",
    max: 512,
    example: 'Ada Lovelace',
    ...optional,
  })
  primaryValue?: string | null;

  @Text({
    description: "Address of an image instead of the template's thumbnail.",
    max: 2048,
    example: sampleUrl('thumbnail'),
    ...optional,
  })
  thumbnail?: string | null;

  @ListOf(() => Field, {
    description: "Its own front fields, by the template's keys.",
    max: maxFrontFields,
    ...optional,
  })
  fields?: Field[] | null;

  @ListOf(() => BackField, { description: 'Its own back fields.', max: 50, ...optional })
  backFields?: BackField[] | null;

  @ListOf(() => Location, { description: "After the template's.", max: maxLocations, ...optional })
  locations?: Location[] | null;

  @JsonObject({ description: 'Not looked at.', maxLength: 5000, example: { order: 'A-1042' }, ...optional })
  metadata?: Record<string, unknown> | null;

  @Flag({ description: 'Not looked at.', example: false, ...optional })
  voided?: boolean | null;
}

/** One finding of the template lint. */
export class LintFinding implements Finding {
  @ApiProperty({ description: 'The rule; see docs/template-lint.md. Ids are stable.', example: 'duplicate-key' })
  rule!: string;

  @ApiProperty({
    description: 'Which document `path` is in; `service` for what the operator has set.',
    enum: ['template', 'pass', 'service'],
    example: 'template',
  })
  in!: Finding['in'];

  @ApiProperty({
    description: 'JSON path of the value; `$.` and what follows, or a dollar sign alone for the whole.',
    example: '$.backFields[0].key',
  })
  path!: string;

  @ApiProperty({
    description: 'An `error` is refused when template or pass are saved.',
    enum: ['error', 'warning', 'info'],
    example: 'error',
  })
  severity!: Finding['severity'];

  @ApiProperty({ description: 'Where it shows.', enum: ['walletA', 'walletB', 'web', 'all'], example: 'all' })
  wallet!: Finding['wallet'];

  @ApiProperty({ description: 'What is wrong.', example: '"seat" is also a key of fields' })
  message!: string;

  @ApiProperty({ description: 'What would be right.', example: 'keys are unique over front and back' })
  fix!: string;
}

/** The findings of the template lint: errors first. */
export class LintAnswer {
  @ApiProperty({ type: () => LintFinding, isArray: true })
  findings!: readonly LintFinding[];

  @ApiProperty({ description: 'How many of them a save would refuse.', example: 1 })
  errors!: number;

  @ApiProperty({ description: 'How many of them are warnings.', example: 0 })
  warnings!: number;
}

/** Returns the response with the findings. */
export function toLintAnswer(findings: readonly Finding[]): LintAnswer {
  const count = (severity: Finding['severity']) => findings.filter((finding) => finding.severity === severity).length;
  return { findings, errors: count('error'), warnings: count('warning') };
}

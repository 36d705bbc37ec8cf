import { ApiProperty } from '@nestjs/swagger';
import { DateTime, Flag, JsonObject, ListOf, Nested, Text } from '@passwright/core';
import {
  type Finding,
  maxActions,
  maxFrontFields,
  maxLocations,
  type Translations,
} from '@passwright/wallet-renderers';
import { sampleUrl } from '@passwright/images';
import { Action } from '../fields/action.dto.js';
import { BackField, Field } from '../fields/field.dto.js';
import { Location } from '../fields/location.dto.js';
import { maxLinkedPasses, PassGroupRequest, PassReferenceRequest } from '../fields/pass-relations.dto.js';
import { LanguageTag, TextsInLanguages } from '../fields/translations.decorator.js';

const optional = { optional: true, nullable: true };

/** A pass to check together with its template, in the form of a request. It is not issued. */
export class LintPass {
  @Text({ description: 'Ignored.', max: 64, example: 'ada', ...optional })
  id?: string | null;

  @Text({ description: 'The content of the barcode.', max: 512, example: 'SUMMER-0001', ...optional })
  code?: string | null;

  @DateTime({
    description: 'The pass is not valid before this time.',
    example: '2026-06-01T00:00:00.000Z',
    ...optional,
  })
  validFrom?: string | null;

  @DateTime({
    description: 'The pass is not valid from this time on.',
    example: '2030-12-31T23:00:00.000Z',
    ...optional,
  })
  expiry?: string | null;

  @Text({
    description: 'The value of the template’s `primaryLabel`.',
    max: 512,
    example: 'Ada Lovelace',
    ...optional,
  })
  primaryValue?: string | null;

  @Text({
    description: 'URL of an image that replaces the template’s thumbnail.',
    max: 2048,
    example: sampleUrl('thumbnail'),
    ...optional,
  })
  thumbnail?: string | null;

  @ListOf(() => Field, {
    description: 'Each field replaces the template’s field with the same `key`; a field with a new key is appended.',
    max: maxFrontFields,
    ...optional,
  })
  fields?: Field[] | null;

  @ListOf(() => BackField, { description: 'The pass’s own back fields.', max: 50, ...optional })
  backFields?: BackField[] | null;

  @ListOf(() => Location, { description: 'Appended to the template’s locations.', max: maxLocations, ...optional })
  locations?: Location[] | null;

  @LanguageTag({ description: 'The language of the holder.', example: 'de', nullable: true })
  language?: string | null;

  @TextsInLanguages({
    description: 'The pass’s own texts in other languages.',
    example: { de: { 'fields.discount.value': '20 % auf alles' } },
    maxBytes: 20_000,
    nullable: true,
  })
  translations?: Translations | null;

  @ListOf(() => Action, {
    description: 'The pass’s own actions, in place of the template’s.',
    max: maxActions,
    ...optional,
  })
  actions?: Action[] | null;

  @Nested(() => PassGroupRequest, {
    description: 'The group of the pass; previews show it with two more passes.',
    ...optional,
  })
  group?: PassGroupRequest | null;

  @ListOf(() => PassReferenceRequest, {
    description: 'Other passes of the same holder. Whether they exist is not checked.',
    max: maxLinkedPasses,
    ...optional,
  })
  linkedPasses?: PassReferenceRequest[] | null;

  @JsonObject({ description: 'Ignored.', maxLength: 5000, example: { order: 'A-1042' }, ...optional })
  metadata?: Record<string, unknown> | null;

  @Flag({ description: 'Ignored.', example: false, ...optional })
  voided?: boolean | null;
}

/** One finding of the template lint. */
export class LintFinding implements Finding {
  @ApiProperty({
    description: 'The id of the rule; see docs/template-lint.md. Ids are stable.',
    example: 'duplicate-key',
  })
  rule!: string;

  @ApiProperty({
    description: 'The document that `path` is in; `service` for the operator’s settings.',
    enum: ['template', 'pass', 'service'],
    example: 'template',
  })
  in!: Finding['in'];

  @ApiProperty({
    description: 'JSON path of the value: `$.` and the path, or only `$` for the whole document.',
    example: '$.backFields[0].key',
  })
  path!: string;

  @ApiProperty({
    description: 'Saving a template or pass with an `error` is rejected.',
    enum: ['error', 'warning', 'info'],
    example: 'error',
  })
  severity!: Finding['severity'];

  @ApiProperty({
    description: 'The wallets where the problem is visible.',
    enum: ['walletA', 'walletB', 'web', 'all'],
    example: 'all',
  })
  wallet!: Finding['wallet'];

  @ApiProperty({ description: 'The problem.', example: '"seat" is also a key of fields' })
  message!: string;

  @ApiProperty({ description: 'The remedy.', example: 'keys are unique over front and back' })
  fix!: string;
}

/** The findings of the template lint, errors first. */
export class LintResponse {
  @ApiProperty({ type: () => LintFinding, isArray: true })
  findings!: readonly LintFinding[];

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of findings that prevent saving.', example: 1 })
  errors!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of warnings.', example: 0 })
  warnings!: number;
}

export function toLintResponse(findings: readonly Finding[]): LintResponse {
  const count = (severity: Finding['severity']) => findings.filter((finding) => finding.severity === severity).length;
  return { findings, errors: count('error'), warnings: count('warning') };
}

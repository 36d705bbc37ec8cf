import { ApiSchema } from '@nestjs/swagger';
import { DateTime, Flag, ListOf, Nested, SomeOf, Text } from '@passwright/core';
import { TextsInLanguages } from '@passwright/templates';
import type { PassState, Translations } from '@passwright/wallet-renderers';
import { heldIn } from './message.entity.js';

export const passStates = ['valid', 'not_yet_valid', 'expired', 'redeemed', 'voided'] as const satisfies PassState[];
export const defaultStates: readonly PassState[] = ['valid', 'not_yet_valid'];
export const maxWantedFields = 10;
/** The maximum lengths of the texts of a message, in every language. */
export const messageLimits = { title: 60, text: 500 };
/**
 * The maximum sizes of the translations of a message as JSON. The limit for many passes is lower, because each of them
 * stores the message.
 */
export const maxTranslationBytes = { toOne: 8000, toMany: 4000 };

/** The text of a message and when to send it. */
export class PassMessageRequest {
  @Text({
    description: 'A short heading, shown before the text. Default: none; Google Wallet shows the issuer’s name.',
    example: 'Gate change',
    max: messageLimits.title,
    optional: true,
  })
  title?: string | null;

  @Text({
    description:
      'The message. Apple Wallet shows it on the lock screen only if it differs from the previous message of the pass.',
    example: 'Your concert begins at gate C.',
    max: messageLimits.text,
    multiline: true,
  })
  text!: string;

  @TextsInLanguages({
    description:
      'The `title` and the `text` in other languages, by BCP 47 tag. Holders see their own language. ' +
      'A language needs a `text`; its `title` defaults to the message’s. At most 40 languages and ' +
      `${maxTranslationBytes.toOne} bytes, or ${maxTranslationBytes.toMany} in a message to many.`,
    example: { de: { title: 'Neuer Eingang', text: 'Ihr Konzert beginnt an Eingang C.' } },
    maxBytes: maxTranslationBytes.toOne,
  })
  translations?: Translations | null;

  @Text({
    description:
      'A pass shows only the latest message of a topic. An unsent message with the same topic, passes and ' +
      'filter becomes `superseded`.',
    example: 'gate',
    max: 64,
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    patternHint: 'letters, digits, ".", "_" and "-", beginning with a letter or digit',
    optional: true,
  })
  topic?: string | null;

  @DateTime({ description: 'When to send the message, at most a year ahead. Default: now.', optional: true })
  sendAt?: string | null;

  @Flag({ description: 'True: send it in quiet hours too. Default: false.', example: false, optional: true })
  urgent?: boolean | null;
}

/** A field, and the value that it must have in a pass. */
@ApiSchema({ name: 'WantedField' })
export class WantedFieldDto {
  @Text({ description: 'The key of a front or back field.', example: 'tier', max: 100 })
  key!: string;

  @Text({
    description: 'The value of the field on the pass, or on the template if the pass has no such field.',
    min: 0,
    max: 1000,
    multiline: true,
    example: 'gold',
  })
  value!: string;
}

/** A filter for passes of a template. A pass must meet all conditions. */
@ApiSchema({ name: 'MessageFilter' })
export class MessageFilterDto {
  @SomeOf({
    description: 'The states of the passes. Default: valid and not_yet_valid.',
    values: passStates,
    optional: true,
    example: ['valid'],
  })
  states?: PassState[] | null;

  @DateTime({
    description: 'Only passes that expire at or after this time.',
    example: '2026-12-01T00:00:00.000Z',
    optional: true,
  })
  expiresFrom?: string | null;

  @DateTime({ description: 'Only passes that expire before this time.', optional: true })
  expiresBefore?: string | null;

  @ListOf(() => WantedFieldDto, {
    description: 'At most 10 fields that a pass must have.',
    max: maxWantedFields,
    optional: true,
    example: [{ key: 'tier', value: 'gold' }],
  })
  fields?: WantedFieldDto[] | null;

  @SomeOf({
    description: 'Only passes in one of these wallets; `none`: in no wallet. Default: all.',
    values: heldIn,
    optional: true,
    example: ['walletA', 'walletB'],
  })
  wallets?: (typeof heldIn)[number][] | null;
}

/** A message to the holders of many passes. */
export class TemplateMessageRequest extends PassMessageRequest {
  @Nested(() => MessageFilterDto, {
    description: 'The passes to select. Default: all that are valid or not yet valid.',
    optional: true,
  })
  filter?: MessageFilterDto | null;
}

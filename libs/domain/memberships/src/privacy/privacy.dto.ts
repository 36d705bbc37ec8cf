import { ApiProperty } from '@nestjs/swagger';
import { emailForm, Text, ValidationFailed } from '@passwright/core';

/** A holder: either an e-mail address or a pass. */
export class HolderRequest {
  @Text({
    optional: true,
    max: 254,
    pattern: emailForm,
    patternHint: 'a single e-mail address, such as ada@example.com',
    description: 'The e-mail address of a member, or an address that passes were sent to, in upper or lower case.',
    example: 'ada@example.com',
  })
  email?: string | null;

  @Text({
    optional: true,
    max: 64,
    description: "The template of the holder's pass; send `passId` too.",
    example: 'membership',
  })
  templateId?: string | null;

  @Text({
    optional: true,
    max: 64,
    description: "The id of the holder's pass; send `templateId` too.",
    example: '4fzTm0Jd8xYc2LqWvB7RkP',
  })
  passId?: string | null;
}

/** A holder as named in a request. */
export type HolderName = { readonly email: string } | { readonly templateId: string; readonly passId: string };

/**
 * Returns the holder that a request names, by either an e-mail address or a pass. @throws ValidationFailed if it names
 * both or neither
 */
export function holderName({ email, templateId, passId }: HolderRequest): HolderName {
  const [byEmail, parts] = [email ?? null, [templateId, passId].filter((part) => (part ?? null) !== null).length];
  if (byEmail !== null && parts === 0) return { email: byEmail };
  if (byEmail === null && templateId && passId) return { templateId, passId };
  throw new ValidationFailed('the body must have either email, or templateId and passId, and not both');
}

/** The number of erased records. */
export class ErasedResponse {
  @ApiProperty({ type: 'integer', example: 1 })
  members!: number;

  @ApiProperty({ type: 'integer', example: 2 })
  passes!: number;

  @ApiProperty({ type: 'integer', example: 3, description: 'The number of mail records.' })
  mails!: number;

  @ApiProperty({
    type: 'integer',
    example: 1,
    description: 'The number of devices that hold or held the passes, counted for each pass.',
  })
  devices!: number;

  @ApiProperty({ type: 'integer', example: 1, description: 'The number of images that belonged only to the passes.' })
  images!: number;
}

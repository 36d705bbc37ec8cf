import { ApiProperty } from '@nestjs/swagger';
import { Text } from '@passwright/core';
import { IsInt, IsOptional, Max, Min } from 'class-validator';

const maxOrder = 9999;
const idForm = {
  max: 64,
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  patternHint: 'letters, digits, ".", "_" and "-", beginning with a letter or digit',
};

/** The group of a pass. A group contains passes of one holder, from any templates of the account. */
export class PassGroupRequest {
  @Text({ description: 'The id of the group, the same for all its passes.', example: 'order-1042', ...idForm })
  id!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: maxOrder,
    example: 1,
    required: false,
    nullable: true,
    description: 'The position of the pass in its group; smaller numbers come first. Default: 0.',
  })
  @IsOptional()
  @IsInt({ message: `$property must be a whole number from 0 to ${maxOrder}` })
  @Min(0)
  @Max(maxOrder)
  order?: number | null;
}

/** The address of another pass of the account. */
export class PassReferenceRequest {
  @Text({ description: 'The id of the pass’s template.', example: 'parking', ...idForm })
  templateId!: string;

  @Text({ description: 'The id of the pass.', example: 'ada', ...idForm })
  passId!: string;
}

/** The description of a group in request bodies. */
export const groupDescription =
  'The group of the pass; an extension of this service. Use a group for one holder only: anyone with the link ' +
  'of one pass sees the others. Apple Wallet stacks only the event tickets of a group; Google Wallet stacks all its passes.';

/** The description of linked passes in request bodies. */
export const linkedPassesDescription =
  'Other passes of the holder, at most 10; an extension of this service. Anyone with the link of this pass ' +
  'sees them. Google Wallet adds them when the holder saves this pass.';

/** Maximum number of passes to which a pass links. */
export const maxLinkedPasses = 10;

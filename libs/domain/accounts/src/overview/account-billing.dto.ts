import { ApiProperty } from '@nestjs/swagger';
import { subscriptionStatuses, type SubscriptionPeriod, type SubscriptionStatus } from '@passwright/core';

/** The subscription of an account. */
export class SubscriptionResponse {
  @ApiProperty({ example: 'pro' })
  planId!: string;

  @ApiProperty({ enum: subscriptionStatuses, enumName: 'SubscriptionStatus' })
  status!: SubscriptionStatus;

  @ApiProperty({
    required: false,
    description: 'The payment provider’s id of the subscription.',
    example: 'sub_1RkFQ2Lx4nB7',
  })
  paymentSubscriptionId?: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-01T00:00:00.000Z' })
  currentPeriodStart!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-12-01T00:00:00.000Z' })
  currentPeriodEnd!: string;

  @ApiProperty({ enum: ['month', 'year'], description: 'The length of a billing period.' })
  period!: SubscriptionPeriod;
}

/** The limits of an account. */
export class EnterpriseConfigResponse {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    required: false,
    description: 'Maximum number of templates, not counting archived ones. Absent: no limit.',
    example: 50,
  })
  maxTemplates?: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    required: false,
    description: 'Maximum number of passes created in a billing period. Absent: no limit.',
    example: 100_000,
  })
  maxPassCreations?: number;
}

/** The plan and the limits of an account in its overview. Parts without a value are absent. */
export class BillingResponse {
  @ApiProperty({
    required: false,
    description: 'The id of the account at the payment provider.',
    example: 'cus_S7tq0XyB2',
  })
  paymentCustomerId?: string;

  @ApiProperty({ type: SubscriptionResponse, required: false })
  subscription?: SubscriptionResponse;

  @ApiProperty({ type: EnterpriseConfigResponse })
  enterpriseConfig!: EnterpriseConfigResponse;
}

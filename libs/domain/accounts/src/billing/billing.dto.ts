import { ApiProperty } from '@nestjs/swagger';
import { subscriptionStatuses, type SubscriptionPeriod, type SubscriptionStatus } from '@passwright/core';
import type { Billing } from './billing.entity.js';

/** What an account has subscribed to. */
export class SubscriptionResponse {
  @ApiProperty({ example: 'pro' })
  planId!: string;

  @ApiProperty({ enum: subscriptionStatuses, enumName: 'SubscriptionStatus' })
  status!: SubscriptionStatus;

  @ApiProperty({ required: false, description: "The payment provider's id of it.", example: 'sub_1RkFQ2Lx4nB7' })
  paymentSubscriptionId?: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-01T00:00:00.000Z' })
  currentPeriodStart!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-12-01T00:00:00.000Z' })
  currentPeriodEnd!: string;

  @ApiProperty({ enum: ['month', 'year'], description: 'How often a new period begins.' })
  period!: SubscriptionPeriod;
}

/** Limits that were agreed on. */
export class EnterpriseConfigResponse {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    required: false,
    description: 'Templates at most, those that are archived not counted. Absent: no limit.',
    example: 50,
  })
  maxTemplates?: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    required: false,
    description: 'Passes that may be created in a billing period. Absent: no limit.',
    example: 100_000,
  })
  maxPassCreations?: number;
}

/** What an account pays for, and its limits. What is not set is absent. */
export class BillingResponse {
  @ApiProperty({ required: false, description: "The payment provider's id of the account.", example: 'cus_S7tq0XyB2' })
  paymentCustomerId?: string;

  @ApiProperty({ type: SubscriptionResponse, required: false })
  subscription?: SubscriptionResponse;

  @ApiProperty({ type: EnterpriseConfigResponse })
  enterpriseConfig!: EnterpriseConfigResponse;
}

/** Billing as callers see it. @param billing null where nothing was ever set */
export function toBillingResponse(billing: Billing | null): BillingResponse {
  const subscription = billing && toSubscriptionResponse(billing);
  return {
    ...(billing && billing.paymentCustomerId !== null && { paymentCustomerId: billing.paymentCustomerId }),
    ...(subscription && { subscription }),
    enterpriseConfig: {
      ...(billing && billing.maxTemplates !== null && { maxTemplates: billing.maxTemplates }),
      ...(billing && billing.maxPassCreations !== null && { maxPassCreations: billing.maxPassCreations }),
    },
  };
}

function toSubscriptionResponse(billing: Billing): SubscriptionResponse | null {
  const { planId, status, paymentSubscriptionId, currentPeriodStart, currentPeriodEnd, period } = billing;
  if (planId === null || !status || !currentPeriodStart || !currentPeriodEnd || !period) return null;
  return {
    planId,
    status,
    ...(paymentSubscriptionId !== null && { paymentSubscriptionId }),
    currentPeriodStart: currentPeriodStart.toISOString(),
    currentPeriodEnd: currentPeriodEnd.toISOString(),
    period,
  };
}

import type { BillingResponse, SubscriptionResponse } from '@passwright/accounts';
import type { Billing } from './billing.entity.js';

/**
 * Converts the billing of an account to the API's form. @param billing null for an account without a plan and limits
 */
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

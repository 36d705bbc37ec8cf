import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import type { ApiResponse, RunningService } from './running-service.js';

export const webhookSecret = 'whsec_0123456789abcdef0123456789abcdef';
const { webhooks } = new Stripe('sk_none');

/** Stripe, as it looks to a service. It can send events late, twice, or in another order. */
export class StripeAccount {
  readonly customer = `cus_${randomUUID()}`;
  readonly subscriptionId = `sub_${randomUUID()}`;

  /**
   * Builds the event of a payment.
   * @param accountId the account that is paid for
   */
  checkout(accountId: string, at: Date, customer = this.customer): object {
    return this.event('checkout.session.completed', at, { id: 'cs_1', customer, client_reference_id: accountId });
  }

  /**
   * Builds the event of a subscription with these changes.
   * @param what `created`, `updated` or `deleted`.
   * @param at the time from which the changes apply
   */
  subscription(what: string, at: Date, changes: SubscriptionChanges = {}): object {
    const { id = this.subscriptionId, plan = 'pro', start = new Date('2026-11-01T00:00:00.000Z'), ...others } = changes;
    const end = new Date(start);
    end.setUTCMonth(end.getUTCMonth() + 1);
    const price = { id: 'price_1', lookup_key: plan, metadata: {}, recurring: { interval: 'month' } };
    const period = { current_period_start: seconds(start), current_period_end: seconds(end) };
    return this.event(`customer.subscription.${what}`, at, {
      id,
      object: 'subscription',
      customer: this.customer,
      created: seconds(new Date('2026-11-01T00:00:00.000Z')),
      status: what === 'deleted' ? 'canceled' : 'active',
      metadata: {},
      items: { object: 'list', data: [{ id: 'si_1', ...period, price }] },
      ...others,
    });
  }

  event(type: string, at: Date, object: object): object {
    return { id: `evt_${randomUUID()}`, object: 'event', type, created: seconds(at), data: { object } };
  }
}

/** The properties in which a subscription differs from the usual one. */
export interface SubscriptionChanges {
  readonly id?: string;
  readonly plan?: string;
  readonly start?: Date;
  readonly status?: string;
  readonly created?: number;
  readonly metadata?: object;
}

/**
 * Sends a signed event to a service.
 * @param signedAt in ms
 */
export function deliver(
  service: RunningService,
  event: object,
  signedAt = Date.now(),
  secret = webhookSecret,
): Promise<ApiResponse> {
  const body = JSON.stringify(event);
  const options = { payload: body, secret, timestamp: seconds(new Date(signedAt)) };
  const headers = { 'Stripe-Signature': webhooks.generateTestHeaderString(options) };
  return service.request('POST', '/v1/payments/webhook', { body, headers });
}

const seconds = (time: Date) => Math.floor(time.getTime() / 1000);

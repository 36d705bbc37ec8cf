export const subscriptionStatuses = ['trialing', 'active', 'past_due', 'canceled', 'unpaid'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];
export const subscriptionPeriods = ['month', 'year'] as const;
export type SubscriptionPeriod = (typeof subscriptionPeriods)[number];

/** The state of a subscription as an event of the payment provider reports it. */
export interface ReportedSubscription {
  readonly id: string;
  /** Orders events of the same second: `begun` before `changed` before `ended`. */
  readonly step: 'begun' | 'changed' | 'ended';
  readonly startedAt: Date;
  readonly planId: string;
  readonly status: SubscriptionStatus;
  readonly period: SubscriptionPeriod;
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  /** The limits of the subscription: null means unlimited, undefined leaves them unchanged. */
  readonly maxTemplates: number | null | undefined;
  readonly maxPassCreations: number | null | undefined;
}

/** A payment provider's event about an account. Its texts are single lines of 1 to 255 characters. */
export interface PaymentEvent {
  /** The provider's id of the event. A repeated event has the same id. */
  readonly id: string;
  /** The time of the event. Events may arrive out of order. */
  readonly at: Date;
  /** The account, if the provider knows its id. Otherwise the customer identifies it. */
  readonly accountId: string | null;
  /** True if the payer may have chosen the account id. Such an event cannot link an account to another customer. */
  readonly isPayersWord: boolean;
  readonly customerId: string;
  /** The subscription at that time; null when the event only links a customer to an account. */
  readonly subscription: ReportedSubscription | null;
}

/** The event is too old, or its signature is not the provider's. The message says which. */
export class PaymentEventRejected extends Error {}

/** Receives events of a payment provider. */
export abstract class PaymentProvider {
  /** True if a provider is configured. Otherwise no events arrive. */
  abstract readonly isConfigured: boolean;

  /**
   * Verifies and parses a provider's event.
   * @param body the unparsed bytes. @param headers names in lower case
   * @returns null if the event does not concern subscriptions. @throws PaymentEventRejected
   */
  abstract read(
    body: Buffer,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): Promise<PaymentEvent | null>;
}

export const subscriptionStatuses = ['trialing', 'active', 'past_due', 'canceled', 'unpaid'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];
export type SubscriptionPeriod = 'month' | 'year';

/** What a payment provider tells of an account. */
export interface PaymentEvent {
  /** The provider's id of it: told again, it has the same. */
  readonly id: string;
  /** When it happened, which may be after something that is told later. */
  readonly at: Date;
  /** The account, where the provider was given its id; else it is found by the customer. */
  readonly accountId: string | null;
  readonly customerId: string;
  /** The subscription as it was then; null when it tells only which customer the account is. */
  readonly subscription: {
    readonly id: string;
    readonly planId: string;
    readonly status: SubscriptionStatus;
    readonly period: SubscriptionPeriod;
    readonly currentPeriodStart: Date;
    readonly currentPeriodEnd: Date;
    /** Limits that come with it: null none, undefined as they are. */
    readonly maxTemplates: number | null | undefined;
    readonly maxPassCreations: number | null | undefined;
  } | null;
}

/** What arrived does not come from the provider, or not from now: the signature says so. */
export class PaymentEventRefused extends Error {}

/** Where accounts pay. */
export abstract class PaymentProvider {
  /** Whether one is configured: without one nothing is ever told. */
  abstract readonly isConfigured: boolean;

  /**
   * Checks and reads what the provider has sent.
   * @param body as it arrived, byte for byte. @param headers names in lower case
   * @returns null for what tells nothing of subscriptions. @throws PaymentEventRefused
   */
  abstract read(
    body: Buffer,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): Promise<PaymentEvent | null>;
}

export const subscriptionStatuses = ['trialing', 'active', 'past_due', 'canceled', 'unpaid'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];
export const subscriptionPeriods = ['month', 'year'] as const;
export type SubscriptionPeriod = (typeof subscriptionPeriods)[number];

/** A subscription as it was when a payment provider told of it. */
export interface ToldSubscription {
  readonly id: string;
  /** Of events of one second, those of a lower step came first. */
  readonly step: 'begun' | 'changed' | 'ended';
  readonly startedAt: Date;
  readonly planId: string;
  readonly status: SubscriptionStatus;
  readonly period: SubscriptionPeriod;
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  /** Limits that come with it: null none, undefined as they are. */
  readonly maxTemplates: number | null | undefined;
  readonly maxPassCreations: number | null | undefined;
}

/** What a payment provider tells of an account. Its texts are single lines of 1 to 255 characters. */
export interface PaymentEvent {
  /** The provider's id of it: told again, it has the same. */
  readonly id: string;
  /** When it happened, which may be after something that is told later. */
  readonly at: Date;
  /** The account, where the provider was given its id; else it is found by the customer. */
  readonly accountId: string | null;
  /** Whether it may be whoever paid who named the account: that links no customer to an account that has another one. */
  readonly isPayersWord: boolean;
  readonly customerId: string;
  /** The subscription as it was then; null when it tells only which customer the account is. */
  readonly subscription: ToldSubscription | null;
}

/** What arrived does not come from the provider, or not from now: the signature says so. The message says why. */
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

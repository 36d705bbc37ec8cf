import { Logger } from '@nestjs/common';
import {
  PaymentEventRejected,
  PaymentProvider,
  type Clock,
  type PaymentEvent,
  type ReportedSubscription,
} from '@passwright/core';
import { asRecord, asText, atSecond, type Json } from './event-values.js';
import { readSubscription } from './stripe-subscription.js';

/** The maximum age of a signature. */
const TOLERANCE_SECONDS = 300;

const steps = new Map<unknown, ReportedSubscription['step']>([
  ['customer.subscription.created', 'begun'],
  ['customer.subscription.updated', 'changed'],
  ['customer.subscription.paused', 'changed'],
  ['customer.subscription.resumed', 'changed'],
  ['customer.subscription.deleted', 'ended'],
]);

/** The part of the library that we use. */
interface Webhooks {
  constructEvent(
    body: Buffer,
    signature: string,
    secret: string,
    toleranceSeconds: number,
    cryptoProvider: undefined,
    receivedAt: number,
  ): unknown;
}

/** Stripe is configured but its package is not installed. */
export class StripePackageMissing extends Error {
  constructor(cause: unknown) {
    super(`Webhooks of Stripe need the npm package "stripe", which is not installed: npm install stripe@23`, { cause });
    this.name = 'StripePackageMissing';
  }
}

/** Reads webhooks of Stripe (https://docs.stripe.com/webhooks) and of providers that use the same signatures. */
export class StripePayments extends PaymentProvider {
  override readonly isConfigured = true;
  private readonly logger = new Logger('Payments');

  private constructor(
    private readonly webhooks: Webhooks,
    private readonly secrets: readonly string[],
    private readonly clock: Clock,
  ) {
    super();
  }

  /** Loads the Stripe library. @param secrets at least one `whsec_…`. @throws StripePackageMissing */
  static async load(secrets: readonly string[], clock: Clock): Promise<StripePayments> {
    const library = await import('stripe').catch((error: unknown) => {
      throw new StripePackageMissing(error);
    });
    // Any key will do, because this code never calls Stripe's API.
    const { webhooks } = new library.default('sk_none');
    return new StripePayments(webhooks, secrets, clock);
  }

  override read(
    body: Buffer,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): Promise<PaymentEvent | null> {
    const signature = headers['stripe-signature'];
    if (typeof signature !== 'string' || signature === '') {
      return Promise.reject(new PaymentEventRejected('The header Stripe-Signature is missing'));
    }
    return Promise.resolve().then(() => this.toPaymentEvent(this.verified(body, signature)));
  }

  /** Verifies the signature and returns the parsed event without checking its shape. */
  private verified(body: Buffer, signature: string): unknown {
    let rejection: unknown;
    for (const secret of this.secrets) {
      try {
        return this.webhooks.constructEvent(
          body,
          signature,
          secret,
          TOLERANCE_SECONDS,
          undefined,
          this.clock.now().getTime(),
        );
      } catch (error) {
        // The signature is valid but the body is not JSON, so no other secret would help.
        if (error instanceof SyntaxError) return null;
        rejection = error;
        // The signature is valid but too old. The error for the next secret would be less accurate.
        if (isTooOld(error)) break;
      }
    }
    throw new PaymentEventRejected(
      isTooOld(rejection)
        ? `Stripe-Signature was made more than ${TOLERANCE_SECONDS / 60} minutes ago`
        : 'Stripe-Signature does not fit the body and the webhook secret',
    );
  }

  private toPaymentEvent(sent: unknown): PaymentEvent | null {
    const { id: sentId, type, created, data } = asRecord(sent);
    const object = asRecord(asRecord(data).object);
    const [id, at, customerId] = [asText(sentId), atSecond(created), idOf(object.customer)];
    const head = id !== null && at !== null && customerId !== null ? { id, at, customerId } : null;
    // Do not warn, because a checkout without a subscription needs no customer or account.
    if (type === 'checkout.session.completed') return head && ofCheckout(head, object);
    const step = steps.get(type);
    if (!step) return null;
    const subscription = readSubscription(object, step, (what) => this.logger.warn(`Event ${id ?? ''}: ${what}`));
    if (head && subscription) {
      return { ...head, accountId: accountOf(asRecord(object.metadata).accountId), isPayersWord: false, subscription };
    }
    this.logger.warn(`Event ${id ?? 'without id'} is not understood, so it changes nothing`);
    return null;
  }
}

type Head = Pick<PaymentEvent, 'id' | 'at' | 'customerId'>;

/**
 * Reads a completed checkout; its subscription comes in other events. Only the owner of the secret key can set
 * metadata, but the payer can change `client_reference_id`, which may come from the address of a Payment Link.
 */
function ofCheckout(head: Head, object: Json): PaymentEvent | null {
  const reported = accountOf(asRecord(object.metadata).accountId);
  const accountId = reported ?? accountOf(object.client_reference_id);
  return accountId === null ? null : { ...head, accountId, isPayersWord: reported === null, subscription: null };
}

const accountOf = (value: unknown) => (typeof value === 'string' && /^acc_[\w-]{1,64}$/.test(value) ? value : null);

/** Returns the id of an object that Stripe gives either as an id or in full. */
function idOf(value: unknown): string | null {
  return asText(typeof value === 'string' ? value : asRecord(value).id);
}

function isTooOld(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Timestamp outside');
}

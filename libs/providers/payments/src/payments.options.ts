/** What `PaymentsModule.forRoot` takes. */
export abstract class PaymentsOptions {
  /** Stripe, or a provider that signs its webhooks as Stripe does; null: nobody tells of payments. */
  abstract readonly stripe: { readonly webhookSecret: string } | null;
}

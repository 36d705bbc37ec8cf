/** What `PaymentsModule.forRoot` takes. */
export abstract class PaymentsOptions {
  /**
   * Stripe, or a provider that signs its webhooks as Stripe does; null: nobody tells of payments. What any of the secrets
   * has signed is taken, so that one can be replaced by another.
   */
  abstract readonly stripe: { readonly webhookSecrets: readonly string[] } | null;
}

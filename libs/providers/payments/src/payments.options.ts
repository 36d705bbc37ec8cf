/** The options of `PaymentsModule.forRoot`. */
export abstract class PaymentsOptions {
  /**
   * Secrets of Stripe, or of a provider that signs its webhooks as Stripe does; null if no provider reports payments. A
   * signature with any of the secrets is valid, so that you can rotate them.
   */
  abstract readonly stripe: { readonly webhookSecrets: readonly string[] } | null;
}

/** The options of `PaymentsModule.forRoot`. */
export abstract class PaymentsOptions {
  /**
   * The webhook secrets of Stripe, or of a provider that signs as Stripe does; null without payments. A signature with
   * any of the secrets is valid, so that you can rotate them.
   */
  abstract readonly stripe: { readonly webhookSecrets: readonly string[] } | null;
}

/** Options of `PaymentEventsModule.forRoot`: `{}`. */
export abstract class PaymentEventsOptions {
  /** False leaves out `POST /v1/payments/webhook`. */
  abstract readonly routes?: boolean;
}

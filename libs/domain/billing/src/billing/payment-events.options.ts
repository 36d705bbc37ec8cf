/** Options of `PaymentEventsModule.forRoot`. All of them are optional. */
export abstract class PaymentEventsOptions {
  /** Set to false to omit the route `POST /v1/payments/webhook`. */
  abstract readonly routes?: boolean;
}

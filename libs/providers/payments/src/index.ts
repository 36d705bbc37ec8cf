export { PaymentsModule } from './payments.module.js';
export { PaymentsOptions } from './payments.options.js';
export { StripePackageMissing } from './stripe-payments.js';

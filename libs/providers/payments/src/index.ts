export { PaymentsModule } from './payments.module.js';
export { PaymentsOptions } from './payments.options.js';

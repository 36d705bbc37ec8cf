export { WebhookDeliveryResponse } from './deliveries/delivery.dto.js';
export { eventDataTypes } from './event-types/event-data.dto.js';
export { eventTypes, type EventType } from './event-types/event-types.js';
export { webhookBacklog, type WebhookBacklog } from './deliveries/webhook-backlog.js';
export { pausesSeconds as deliveryPausesSeconds } from './deliveries/delivery-retry-policy.js';
export { WebhookResponse, WebhookTestResponse } from './webhooks/webhook.dto.js';
export { WebhooksService } from './webhooks/webhooks.service.js';
export { WebhooksModule } from './webhooks.module.js';
export { WebhooksOptions } from './webhooks.options.js';

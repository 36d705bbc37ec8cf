import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesHandlers } from './deliveries/deliveries.handlers.js';
import { DeliveriesRepository } from './deliveries/deliveries.repository.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { DeliveryListRepository } from './deliveries/delivery-list.repository.js';
import { DeliverySenderHandlers } from './deliveries/delivery-sender.handlers.js';
import { DeliveryDispatch } from './deliveries/delivery-dispatch.service.js';
import { WebhookSenderService } from './deliveries/webhook-sender.service.js';
import { WebhookTestsService } from './deliveries/webhook-tests.service.js';
import { DeliveryClockRepairCron } from './deliveries/delivery-clock-repair.cron.js';
import { SendingWebhooksRepository } from './deliveries/sending-webhooks.repository.js';
import { DueDeliveriesCron } from './deliveries/due-deliveries.cron.js';
import { WebhookHealthService } from './deliveries/webhook-health.service.js';
import { WebhookDelivery } from './deliveries/webhook-delivery.entity.js';
import { WebhookEventsController } from './events/webhook-events.controller.js';
import { WebhookEventsModule } from './events/webhook-events.module.js';
import { SecretsCleanupCron } from './webhooks/secrets-cleanup.cron.js';
import { Webhook } from './webhooks/webhook.entity.js';
import { WebhookAccountDataService } from './webhooks/webhook-account-data.service.js';
import { WebhookSecretsService } from './webhooks/webhook-secrets.service.js';
import { WebhookSecretsListener } from './webhooks/webhook-secrets.listener.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import { WebhooksRepository } from './webhooks/webhooks.repository.js';
import { WebhooksService } from './webhooks/webhooks.service.js';
import { WebhooksOptions } from './webhooks.options.js';

/**
 * Records events of accounts and sends them to webhooks. Needs `AccountsModule`, `EncryptedSecrets`, `Database`,
 * `Jobs`, `Mailer` and `Clock`.
 */
@Module({
  imports: [WebhookEventsModule, TypeOrmModule.forFeature([Webhook, WebhookDelivery])],
  providers: [
    ...[WebhooksService, WebhooksRepository, WebhookSecretsService, SecretsCleanupCron, WebhookAccountDataService],
    WebhookSecretsListener,
    ...[DeliveriesService, WebhookTestsService, DeliveryListRepository, DeliveriesRepository],
    SendingWebhooksRepository,
    ...[DeliverySenderHandlers, DeliveryDispatch, WebhookHealthService, WebhookSenderService],
    ...[DeliveriesHandlers, DueDeliveriesCron, DeliveryClockRepairCron],
  ],
  exports: [WebhooksService],
})
export class WebhooksModule extends rootModule(WebhooksOptions, [
  WebhooksController,
  DeliveriesController,
  WebhookEventsController,
]) {}

import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesHandlers } from './deliveries/deliveries.handlers.js';
import { DeliveriesRepository } from './deliveries/deliveries.repository.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { DeliveryListRepository } from './deliveries/delivery-list.repository.js';
import { DeliverySender } from './deliveries/delivery-sender.js';
import { DeliveryTurns } from './deliveries/delivery-turns.service.js';
import { WebhookCaller } from './deliveries/webhook-caller.js';
import { WebhookTestsService } from './deliveries/webhook-tests.service.js';
import { WrongTimesCron } from './deliveries/wrong-times.cron.js';
import { WebhookHealth } from './deliveries/webhook-health.js';
import { WebhookDelivery } from './deliveries/webhook-delivery.entity.js';
import { EventWatch } from './events/event-watch.js';
import { OldEvents } from './events/old-events.js';
import { RestoredEvents } from './events/restored-events.js';
import { WebhookEvent } from './events/webhook-event.entity.js';
import { WebhookEventsController } from './events/webhook-events.controller.js';
import { WebhookEventsRepository } from './events/webhook-events.repository.js';
import { WebhookEventsService } from './events/webhook-events.service.js';
import { OldSecrets } from './webhooks/old-secrets.js';
import { Webhook } from './webhooks/webhook.entity.js';
import { WebhookAccountData } from './webhooks/webhook-account-data.js';
import { WebhookSecrets } from './webhooks/webhook-secrets.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import { WebhooksRepository } from './webhooks/webhooks.repository.js';
import { WebhooksService } from './webhooks/webhooks.service.js';
import { WebhooksOptions } from './webhooks.options.js';

/** Tells other systems what happens. Needs `AccountsModule`, `SealedKeysModule`, `Database`, `Jobs`, `Mailer` and `Clock`. */
@Module({
  imports: [TypeOrmModule.forFeature([Webhook, WebhookEvent, WebhookDelivery])],
  providers: [
    ...[WebhooksService, WebhooksRepository, WebhookSecrets, OldSecrets, WebhookAccountData],
    ...[DeliveriesService, WebhookTestsService, DeliveryListRepository, DeliveriesRepository],
    ...[DeliverySender, DeliveryTurns, WebhookHealth, WebhookCaller, DeliveriesHandlers, WrongTimesCron],
    ...[EventWatch, OldEvents, RestoredEvents, WebhookEventsRepository, WebhookEventsService],
  ],
  exports: [WebhooksService],
})
export class WebhooksModule extends rootModule(WebhooksOptions, [
  WebhooksController,
  DeliveriesController,
  WebhookEventsController,
]) {}

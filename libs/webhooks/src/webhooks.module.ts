import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { WebhookDelivery } from './deliveries/webhook-delivery.entity.js';
import { WebhookEvent } from './events/webhook-event.entity.js';
import { Webhook } from './webhooks/webhook.entity.js';
import { WebhooksOptions } from './webhooks.options.js';

/** Tells other systems what happens. Needs `AccountsModule`, `SealedKeysModule`, `Database`, `Jobs` and `Clock`. */
@Module({
  imports: [TypeOrmModule.forFeature([Webhook, WebhookEvent, WebhookDelivery])],
})
export class WebhooksModule extends rootModule(WebhooksOptions) {}

import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventWatchService } from './event-watch.service.js';
import { EventsCleanupCron } from './events-cleanup.cron.js';
import { RestoredEventsListener } from './restored-events.listener.js';
import { WebhookEvent } from './webhook-event.entity.js';
import { WebhookEventsRepository } from './webhook-events.repository.js';
import { WebhookEventsService } from './webhook-events.service.js';

/** Lists the recorded events of accounts and deletes old events. */
@Module({
  imports: [TypeOrmModule.forFeature([WebhookEvent])],
  providers: [
    EventWatchService,
    EventsCleanupCron,
    RestoredEventsListener,
    WebhookEventsRepository,
    WebhookEventsService,
  ],
  exports: [WebhookEventsService],
})
export class WebhookEventsModule {}

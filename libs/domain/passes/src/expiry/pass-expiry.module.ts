import { Module } from '@nestjs/common';
import { PassMessagesModule } from '../messages/pass-messages.module.js';
import { PassExpiryCron } from './pass-expiry.cron.js';
import { PassExpiryRepository } from './pass-expiry.repository.js';

/** Records the expiry of passes. */
@Module({ imports: [PassMessagesModule], providers: [PassExpiryCron, PassExpiryRepository] })
export class PassExpiryModule {}

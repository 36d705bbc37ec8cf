import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { GoogleCallbackRow } from './google-callback.entity.js';
import { GoogleCallbacksCron } from './google-callbacks.cron.js';
import { GoogleCallbacksRepository } from './google-callbacks.repository.js';
import { GoogleCallbacksService } from './google-callbacks.service.js';

/** Verifies the callbacks of Google Wallet, and records which passes were saved or removed. */
@Module({
  imports: [TypeOrmModule.forFeature([GoogleCallbackRow])],
  providers: [GoogleCallbacksService, GoogleCallbacksCron, GoogleCallbacksRepository],
  exports: [GoogleCallbacksService],
})
export class GoogleCallbacksModule {}

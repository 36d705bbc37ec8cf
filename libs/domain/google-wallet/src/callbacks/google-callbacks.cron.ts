import { Injectable } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import { GoogleCallbacksService } from './google-callbacks.service.js';

/** Deletes nonces of expired callbacks every hour. */
@Injectable()
export class GoogleCallbacksCron {
  constructor(private readonly callbacks: GoogleCallbacksService) {}

  @Scheduled({ name: 'google-wallet.forget-callbacks', crontab: '23 * * * *' })
  forget(): Promise<void> {
    return this.callbacks.forget();
  }
}

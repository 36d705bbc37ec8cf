import { Injectable } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import { KeyRotationService } from './key-rotation.service.js';

/** Re-encrypts secrets under the current master key every hour. */
@Injectable()
export class KeyRotationCron {
  constructor(private readonly rotation: KeyRotationService) {}

  @Scheduled({ name: 'master-keys.re-encrypt', crontab: '41 * * * *' })
  reEncrypt(): Promise<void> {
    return this.rotation.reEncrypt();
  }
}

import { Injectable } from '@nestjs/common';
import { JobHandler } from '@passwright/jobs';
import { ReEncryptionDue } from './key-rotation.jobs.js';
import { KeyRotationService } from './key-rotation.service.js';

/**
 * Runs jobs that earlier versions queued under the former name of the schedule. Without a handler, they would stay in
 * the queue forever.
 */
@Injectable()
export class KeyRotationHandlers {
  constructor(private readonly rotation: KeyRotationService) {}

  @JobHandler(ReEncryptionDue)
  reEncrypt(): Promise<void> {
    return this.rotation.reEncrypt();
  }
}

import { Injectable } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import type { JobContext } from '@passwright/jobs';
import { ImageGarbageCollector } from './image-garbage-collector.service.js';

@Injectable()
export class ImageGarbageCron {
  constructor(private readonly collector: ImageGarbageCollector) {}

  @Scheduled({ name: 'images.collect-garbage', crontab: '*/10 * * * *' })
  collectUnsaved({ signal }: JobContext): Promise<void> {
    return this.collector.collectUnsaved(signal);
  }
}

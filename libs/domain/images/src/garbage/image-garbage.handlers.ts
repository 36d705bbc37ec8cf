import { Injectable } from '@nestjs/common';
import { type JobContext, JobHandler } from '@passwright/jobs';
import { ImageGarbageCollector } from './image-garbage-collector.service.js';
import { ImageCollectionDue, ImagesReleased } from './image-garbage.jobs.js';

@Injectable()
export class ImageGarbageHandlers {
  constructor(private readonly collector: ImageGarbageCollector) {}

  @JobHandler(ImagesReleased)
  collect(released: ImagesReleased['payload'], { signal }: JobContext): Promise<void> {
    return this.collector.collect(released, signal);
  }

  /** Runs jobs that earlier versions have queued. Without a handler, they would stay in the queue forever. */
  @JobHandler(ImageCollectionDue)
  collectUnsaved(_payload: ImageCollectionDue['payload'], { signal }: JobContext): Promise<void> {
    return this.collector.collectUnsaved(signal);
  }
}

import { Injectable } from '@nestjs/common';
import { WorkQueue, type WorkQueueLimits } from '@passwright/core';

/**
 * Lets in so many requests with images at a time, before their bodies are read and their images fetched: each may then
 * hold five of 5 MiB, 200 MiB in all. Those that wait hold nothing but their connection.
 */
@Injectable()
export class ImageIntake extends WorkQueue {
  static readonly limits: WorkQueueLimits = {
    width: 8,
    maxWaiting: 200,
    refusal: 'Too many images are being taken in at this moment; try again in a few seconds.',
  };

  constructor() {
    super(ImageIntake.limits);
  }
}

import { Job } from '@passwright/jobs';

/** Deletes stored images that a template, a pass or an upload no longer needs. */
export class ImagesReleased extends Job<{
  readonly accountId: string;
  /** The keys of the images in storage. */
  readonly keys: readonly string[];
  /** The hash of the source image. While another pass shows the same source, none of the keys are deleted. */
  readonly source: string;
  /** The value of `imageVariantsVersion` that generated the image; null for an upload. */
  readonly recipe: number | null;
}> {
  static readonly task = 'images.released';
  static readonly lane = 'timed';

  constructor(
    payload: ImagesReleased['payload'],
    override readonly runAt?: Date,
    override readonly key?: string,
  ) {
    super(payload);
  }
}

/** Runs the garbage collection. Only nodes of earlier versions queue this job. */
export class ImageCollectionDue extends Job<Record<string, never>> {
  static readonly task = 'images.sweep-prepared';
  static readonly lane = 'timed';
}

import { Job } from '@passwright/jobs';

/** A template, a pass or an upload no longer needs these stored images. */
export class ImagesReleased extends Job<{
  readonly accountId: string;
  /** The keys of the images in storage. */
  readonly keys: readonly string[];
  /** The hash of the source. While another pass has the same source, all of the keys are in use. */
  readonly source: string;
  /** The version of the image sizes (`imageVariantsVersion`); null for an upload. */
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

/** A run of the garbage collection, which a node of an earlier version has queued under the schedule's former name. */
export class ImageCollectionDue extends Job<Record<string, never>> {
  static readonly task = 'images.sweep-prepared';
  static readonly lane = 'timed';
}

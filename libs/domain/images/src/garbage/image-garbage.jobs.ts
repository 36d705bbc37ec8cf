import { Job } from '@passwright/jobs';

/** Something that named stored images no longer does, or has had its time to. */
export class ImagesReleased extends Job<{
  readonly accountId: string;
  /** Key of the image in storage. */
  readonly keys: readonly string[];
  /** Of the image they are sizes of, or are: while another pass has the same, all of them are in use. */
  readonly source: string;
  /** Of the sizes; null for an upload. */
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

import { Job } from '../job.js';

/** The database was restored, rolled back or promoted. */
export class IncarnationBegan extends Job<{ readonly incarnation: string }> {
  static readonly task = 'incarnation.began';
  static readonly lane = 'restores';
  override readonly key = this.payload.incarnation;
}

/** A listener has steps left to run. */
export class IncarnationWorkLeft extends Job<{ readonly incarnation: string; readonly name: string }> {
  static readonly task = 'incarnation.work';
  static readonly lane = 'restores';
  override readonly key = `${this.payload.incarnation}/${this.payload.name}`;

  constructor(
    payload: { readonly incarnation: string; readonly name: string },
    override readonly runAt?: Date,
  ) {
    super(payload);
  }
}

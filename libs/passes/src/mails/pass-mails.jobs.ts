import { Job } from '@passwright/database';
import type { Language } from '@passwright/wallet-renderers';

/** A pass is to be sent to somebody. */
export class PassMailQueued extends Job<{
  readonly accountId: string;
  readonly mailId: string;
  /** What the mail itself says is in this language. */
  readonly language: Language;
}> {
  static readonly task = 'passes.mail';
}

import type { MasterKey } from '@passwright/core';

/** What `AppleCertificatesModule.forRoot` takes. */
export abstract class AppleCertificatesOptions {
  /**
   * Private keys are kept sealed under these: the first one seals, all of them open. The same on every node. To replace
   * one, put the new one first and restart; once every secret is sealed anew (within an hour, the log says so) the old one
   * can be dropped.
   */
  abstract readonly masterKeys: readonly MasterKey[];
  /** Public address of the service, without a slash at its end: e-mails name its routes. */
  abstract readonly baseUrl: string;
  /** Who is told when the operator's own certificate nears its end; without it there is a warning in the log. */
  abstract readonly operatorEmail?: string;
  /** Pushes go out under development certificates too, as the push service is one of the operator's own. Default false. */
  abstract readonly pushesDevelopmentPasses?: boolean;
}

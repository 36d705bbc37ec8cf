import { Injectable } from '@nestjs/common';
import { Clock, counted, type GoogleAnswer, type GoogleUrgency, GoogleWallet } from '@passwright/core';
import { GoogleContentRepository } from './google-content.repository.js';
import { classIdOf } from './google-ids.js';
import { type CurrentPart, GoogleParts } from './google-parts.js';
import { type ClaimedResource, GoogleResourcesRepository, type Settlement } from './google-resources.repository.js';

/** The first pause after a passing fault; each further one is twice as long, an hour at most. */
const firstPauseMs = 5_000;
const longestPauseMs = 60 * 60_000;
/** The pause of an object whose class Google has lost. */
const soonMs = 2_000;

/** Of an object whose class could not be written just now. */
const classFirst: GoogleAnswer = {
  outcome: 'retry',
  status: null,
  reason: 'Its class is not at Google yet',
  retryAfterSeconds: null,
  hasUsers: null,
};

/** What writing some resources came to. */
export interface Written {
  readonly settlements: readonly Settlement[];
  /** Google does not take the credential: what it said. */
  readonly halted: string | null;
  /** Whether a write met a passing fault. */
  readonly failed: boolean;
  /** Whether some of it is due again at once, as it changed meanwhile. */
  readonly leftDue: boolean;
}

/** Brings claimed resources of one account to what they should be, and ends their leases. */
@Injectable()
export class GoogleWriter {
  constructor(
    private readonly google: GoogleWallet,
    private readonly contents: GoogleContentRepository,
    private readonly parts: GoogleParts,
    private readonly resources: GoogleResourcesRepository,
    private readonly clock: Clock,
  ) {}

  /** Classes first, then objects, all of them at once; what Google holds already is not sent. */
  async write(accountId: string, claimed: readonly ClaimedResource[], urgency: GoogleUrgency): Promise<Written> {
    const content = await this.contents.read(accountId, claimed);
    const all = claimed.map((resource) => ({ resource, current: this.parts.current(resource, content) }));
    const settlements: Settlement[] = [];
    let halted: string | null = null;
    let leftDue = false;
    let failed = false;
    /** Classes that are not at Google, so that no object of theirs can be. */
    const absent = new Set<string>();
    for (const isClass of [true, false]) {
      const group = all.filter(({ resource }) => (resource.serialNumber === null) === isClass);
      const written = await Promise.all(
        group.map(async ({ resource, current }) => {
          const hasClass = isClass || !absent.has(classIdOf(accountId, resource.templateId, resource.type));
          const answer = hasClass ? await this.writeOne(resource, current, urgency) : classFirst;
          if (answer?.outcome === 'halted') halted = answer.reason ?? 'Google refuses the credential';
          if (answer?.outcome === 'retry' || answer?.outcome === 'halted') failed = true;
          if (answer?.outcome === 'no_class') await this.missClass(resource);
          if (isClass && resource.sentHash === null && answer?.outcome !== 'stored') absent.add(resource.id);
          return this.settled(resource, current, answer);
        }),
      );
      settlements.push(...written);
      if (await this.resources.settle(written, this.clock.now())) leftDue = true;
    }
    return { settlements, halted, failed, leftDue };
  }

  /** @returns null when there was nothing to send */
  private async writeOne(
    resource: ClaimedResource,
    current: CurrentPart | null,
    urgency: GoogleUrgency,
  ): Promise<GoogleAnswer | null> {
    const { accountId, sentHash } = resource;
    if (!current || (sentHash !== null && current.hash.equals(sentHash))) return null;
    const answer = await this.google.write(accountId, { ...current.part, exists: sentHash !== null }, urgency);
    counted('google_writes', { outcome: answer.outcome });
    return answer;
  }

  /** Google has lost the class, or never had it. */
  private missClass({ accountId, issuerId, templateId, type }: ClaimedResource): Promise<void> {
    return this.resources.forgetSent(
      { accountId, issuerId, id: classIdOf(accountId, templateId, type) },
      this.clock.now(),
    );
  }

  private settled(resource: ClaimedResource, current: CurrentPart | null, answer: GoogleAnswer | null): Settlement {
    const { accountId, issuerId, id, changes, leasedUntil } = resource;
    const key = { accountId, issuerId, id, changes, leasedUntil };
    const done = { ...key, failures: 0, problem: null, problemStatus: null, refused: false, dueAt: null };
    if (!answer || answer.outcome === 'off') return { ...done, sentHash: null };
    if (answer.outcome === 'stored') return { ...done, sentHash: current?.hash ?? null };
    const { status: problemStatus, reason: problem } = answer;
    const left = { ...done, sentHash: null, problem, problemStatus };
    if (answer.outcome === 'refused') return { ...left, refused: true };
    // At the credential's fault, not its own: it is next in turn when the credential works.
    if (answer.outcome === 'halted') return { ...left, failures: resource.failures, dueAt: this.clock.now() };
    return { ...left, failures: resource.failures + 1, dueAt: this.nextTry(resource, answer) };
  }

  private nextTry({ failures }: ClaimedResource, { outcome, retryAfterSeconds }: GoogleAnswer): Date {
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 20));
    // Spread, so that what failed together is not tried together.
    const spreadMs = outcome === 'no_class' && failures < 3 ? soonMs : pauseMs * (0.5 + Math.random() / 2);
    return new Date(this.clock.now().getTime() + Math.max(spreadMs, (retryAfterSeconds ?? 0) * 1000));
  }
}

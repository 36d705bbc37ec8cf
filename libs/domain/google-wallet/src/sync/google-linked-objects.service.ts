import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { RelatedPassesRepository } from '@passwright/passes';
import type { EntityManager } from 'typeorm';
import type { GoogleContent } from './google-content.repository.js';
import { classIdOf } from './google-ids.js';
import type { ClaimedResource, NewResource } from './google-resource.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';
import { GoogleResourcesDue, LinkingObjectsToMark } from './google.jobs.js';

/**
 * Queues the objects of linked passes for Google. The first write of an object omits links to objects that Google does
 * not have, because the write would fail. Once Google has them, the object is written again.
 */
@Injectable()
export class GoogleLinkedObjects {
  constructor(
    private readonly related: RelatedPassesRepository,
    private readonly resources: GoogleResourcesRepository,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /**
   * Queues the linked objects that were not requested before. Skips the links of an object that no holder has
   * requested, because Google does not follow them and the chain may be very long.
   */
  async request({ linked }: GoogleContent, claimed: readonly ClaimedResource[]): Promise<void> {
    const links = claimed.flatMap(({ isLinked, serialNumber }) =>
      isLinked ? [] : (linked.get(serialNumber ?? '') ?? []),
    );
    const objects = links.filter(({ isKnown }) => !isKnown);
    const resources = new Map(
      objects.flatMap(({ resource }) => [classOf(resource), resource]).map((resource) => [resource.id, resource]),
    );
    const [first] = resources.values();
    if (!first) return;
    await this.database.transaction(async (tx) => {
      await this.resources.insertNew(tx, [...resources.values()], this.clock.now(), true);
      await this.jobs.add(tx, new GoogleResourcesDue({ accountId: first.accountId }));
    });
  }

  /**
   * Adds jobs that mark as changed all objects that link to `fresh` objects.
   * @param fresh objects of one account that Google has just stored for the first time
   */
  async stored(tx: EntityManager, { passes: known }: GoogleContent, fresh: readonly NewResource[]): Promise<void> {
    const [first] = fresh;
    if (!first) return;
    const { accountId } = first;
    const serials = fresh.flatMap(({ serialNumber }) => known.get(serialNumber ?? '')?.serialNumber ?? []);
    if (!(await this.related.areLinked(tx, accountId, serials))) return;
    const jobs = serials.map((serialNumber) => new LinkingObjectsToMark({ accountId, serialNumber, after: '' }));
    await this.jobs.addMany(tx, jobs);
  }
}

function classOf({ accountId, issuerId, templateId, type }: NewResource): NewResource {
  const id = classIdOf(accountId, templateId, type);
  return { accountId, issuerId, id, templateId, type, serialNumber: null };
}

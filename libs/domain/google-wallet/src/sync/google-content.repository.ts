import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { Template } from '@passwright/templates';
import { In } from 'typeorm';
import { type Pass, type PassContents, PassContentsRepository, RelatedPassesRepository } from '@passwright/passes';
import { objectIdOf } from './google-ids.js';
import type { NewResource } from './google-resource.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';

/** The object of a pass to which another pass links. */
export interface LinkedObject {
  readonly resource: NewResource;
  readonly isAtGoogle: boolean;
  /** True if a link to the object was requested before. */
  readonly isKnown: boolean;
}

/** The content of an account's resources: templates, passes and tombstones. */
export interface GoogleContent extends PassContents {
  readonly templates: ReadonlyMap<string, Template>;
  /** The objects of existing linked passes, by the serial number of the linking pass. */
  readonly linked: ReadonlyMap<string, readonly LinkedObject[]>;
}

/** Reads the content of many resources together. */
@Injectable()
export class GoogleContentRepository {
  constructor(
    private readonly database: Database,
    private readonly passes: PassContentsRepository,
    private readonly related: RelatedPassesRepository,
    private readonly resources: GoogleResourcesRepository,
  ) {}

  /** @param resources resources of one account and issuer */
  async read(accountId: string, resources: readonly NewResource[]): Promise<GoogleContent> {
    const templateIds = [...new Set(resources.map(({ templateId }) => templateId))];
    const serials = resources.flatMap(({ serialNumber }) => serialNumber ?? []);
    const contents = await this.passes.read(accountId, serials);
    const templates = await this.database.reads.findBy(Template, { accountId, id: In(templateIds) });
    const linked = await this.linked(resources, [...contents.passes.values()]);
    return { templates: new Map(templates.map((template) => [template.id, template])), linked, ...contents };
  }

  private async linked([first]: readonly NewResource[], passes: readonly Pass[]): Promise<GoogleContent['linked']> {
    const linking = passes.map(({ serialNumber, linkedPasses }) => ({ serialNumber, links: linkedPasses ?? [] }));
    const all = linking.flatMap(({ links }) => links);
    if (!first || all.length === 0) return new Map();
    const { accountId, issuerId } = first;
    const targets = await this.related.targets(accountId, all);
    const states = await this.resources.find(first, targets.map(objectIdOf));
    const known = new Map(states.map(({ id, sentHash }) => [id, sentHash]));
    const objects = new Map(
      targets.map((target): [string, LinkedObject] => {
        const { templateId, type, serialNumber } = target;
        const id = objectIdOf(target);
        const resource = { accountId, issuerId, id, templateId, type, serialNumber };
        return [serialNumber, { resource, isAtGoogle: (known.get(id) ?? null) !== null, isKnown: known.has(id) }];
      }),
    );
    const objectsOf = (links: Pass['linkedPasses']) =>
      (links ?? []).flatMap((link) => objects.get(link.serialNumber) ?? []);
    return new Map(linking.map(({ serialNumber, links }) => [serialNumber, objectsOf(links)]));
  }
}

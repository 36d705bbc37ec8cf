import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { Template } from '@passwright/templates';
import { In } from 'typeorm';
import { DeletedPass } from '../passes/deleted-pass.entity.js';
import { PassEncryption } from '../passes/pass-encryption.js';
import { Pass } from '../passes/pass.entity.js';
import type { NewResource } from './google-resources.repository.js';

/** What resources of an account are made of: its templates, passes, and what is left of deleted ones. */
export interface GoogleContent {
  readonly templates: ReadonlyMap<string, Template>;
  readonly passes: ReadonlyMap<string, Pass>;
  readonly deleted: ReadonlyMap<string, DeletedPass>;
}

/** Reads what resources show, for many at once. */
@Injectable()
export class GoogleContentRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: PassEncryption,
  ) {}

  async read(accountId: string, resources: readonly NewResource[]): Promise<GoogleContent> {
    const { reads } = this.database;
    const templateIds = [...new Set(resources.map(({ templateId }) => templateId))];
    const serials = resources.flatMap(({ serialNumber }) => serialNumber ?? []);
    // The passes first: a pass that is deleted between the two is found as deleted.
    const passes = await this.encryption.openAll(await reads.findBy(Pass, { accountId, serialNumber: In(serials) }));
    const known = new Set(passes.map(({ serialNumber }) => serialNumber));
    const missing = serials.filter((serial) => !known.has(serial));
    const [deleted, templates] = await Promise.all([
      missing.length > 0 ? reads.findBy(DeletedPass, { accountId, serialNumber: In(missing) }) : [],
      reads.findBy(Template, { accountId, id: In(templateIds) }),
    ]);
    return {
      templates: new Map(templates.map((template) => [template.id, template])),
      passes: new Map(passes.map((pass) => [pass.serialNumber, pass])),
      deleted: new Map(deleted.map((pass) => [pass.serialNumber, pass])),
    };
  }
}

import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { Template } from '@passwright/templates';
import { In } from 'typeorm';
import { type PassContents, PassContentsRepository } from '@passwright/passes';
import type { NewResource } from './google-resources.repository.js';

/** The content of an account's resources: templates, passes and tombstones. */
export interface GoogleContent extends PassContents {
  readonly templates: ReadonlyMap<string, Template>;
}

/** Reads the content of many resources at once. */
@Injectable()
export class GoogleContentRepository {
  constructor(
    private readonly database: Database,
    private readonly passes: PassContentsRepository,
  ) {}

  async read(accountId: string, resources: readonly NewResource[]): Promise<GoogleContent> {
    const templateIds = [...new Set(resources.map(({ templateId }) => templateId))];
    const serials = resources.flatMap(({ serialNumber }) => serialNumber ?? []);
    const contents = await this.passes.read(accountId, serials);
    const templates = await this.database.reads.findBy(Template, { accountId, id: In(templateIds) });
    return { ...contents, templates: new Map(templates.map((template) => [template.id, template])) };
  }
}

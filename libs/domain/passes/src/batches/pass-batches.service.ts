import { Injectable } from '@nestjs/common';
import { AppError, bodyValidation, Clock, LimitExceeded, randomId, ValidationFailed } from '@passwright/core';
import { Database } from '@passwright/database';
import { type Template, TemplateArchived, TemplatesService } from '@passwright/templates';
import { newPass } from '../content/pass-changes.js';
import { contentProblems, requestedContent } from '../content/pass-content.js';
import { PassRequest } from '../content/pass.dto.js';
import type { Pass } from '../content/pass.entity.js';
import { passLinks } from '../addresses/pass-links.js';
import { PassExists } from '../passes/passes.errors.js';
import { PassesRepository } from '../passes/passes.repository.js';
import { PassesService } from '../passes/passes.service.js';
import { PassesOptions } from '../passes.options.js';
import type { BatchedPass, PassBatchQuery } from './pass-batch.dto.js';

type Outcome = BatchedPass | AppError;
type Read = PassRequest | AppError;

/** Issues passes in batches, each in one statement, and reports errors per line. */
@Injectable()
export class PassBatchesService {
  constructor(
    private readonly database: Database,
    private readonly repository: PassesRepository,
    private readonly passes: PassesService,
    private readonly templates: TemplatesService,
    private readonly options: PassesOptions,
    private readonly clock: Clock,
  ) {}

  /** Checks the template before the first line is read. @throws TemplateNotFound, TemplateArchived */
  async requireTemplate(accountId: string, templateId: string): Promise<void> {
    const { archivedAt } = await this.templates.get(accountId, templateId);
    if (archivedAt) throw new TemplateArchived(templateId);
  }

  /**
   * @param lines as the caller sent them. @returns one outcome per line, in order. @throws TemplateNotFound,
   * TemplateArchived
   */
  async issue(
    accountId: string,
    templateId: string,
    lines: readonly object[],
    query: PassBatchQuery,
  ): Promise<Outcome[]> {
    const template = await this.templates.get(accountId, templateId);
    const read = await Promise.all(lines.map((line) => this.read(template, line)));
    // A pass with its own image is issued separately, because the image must be fetched first.
    const isPlain = (one: Read): one is PassRequest => !(one instanceof AppError) && !one.thumbnail;
    const issued = await this.issueTogether(template, read.filter(isPlain)).catch((error: unknown) => {
      // Part of a batch that exceeds the limit may still be issued, line by line.
      if (error instanceof LimitExceeded) return new Map<PassRequest, Pass>();
      throw error;
    });
    const outcomes: Outcome[] = [];
    let full: LimitExceeded | null = null;
    for (const one of read) {
      const pass = one instanceof AppError ? undefined : issued.get(one);
      if (pass) outcomes.push(this.toBatched(pass));
      else outcomes.push(one instanceof AppError ? one : (full ?? (await this.issueAlone(template, one, query))));
      const last = outcomes.at(-1);
      if (last instanceof LimitExceeded) full = last;
    }
    return outcomes;
  }

  private async read(template: Template, line: object): Promise<Read> {
    try {
      const metatype = PassRequest;
      const request = (await bodyValidation.transform(line, { type: 'body', metatype })) as PassRequest;
      return problemOf(template, request) ?? request;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  /** @returns the passes that could be issued together; the caller issues the others one by one to find their errors */
  private async issueTogether(template: Template, requests: readonly PassRequest[]): Promise<Map<PassRequest, Pass>> {
    if (requests.length === 0) return new Map();
    return this.database.transaction(async (tx) => {
      const locked = await this.templates.lockForIssue(tx, template.accountId, template.id);
      const fitting = requests.filter((request) => problemOf(locked, request) === null);
      const now = this.clock.now();
      const passes = fitting.map((request) =>
        newPass(locked, request.id ?? randomId(), requestedContent(request), null, now),
      );
      const inserted = await this.repository.insertNew(tx, passes);
      return new Map(
        fitting.flatMap((request, index) => {
          const pass = passes[index];
          return pass && inserted.has(pass.serialNumber) ? [[request, pass] as const] : [];
        }),
      );
    });
  }

  private async issueAlone(template: Template, request: PassRequest, { existing }: PassBatchQuery): Promise<Outcome> {
    const { accountId, id: templateId } = template;
    try {
      const { pass } = await this.passes.create(accountId, templateId, request);
      return this.toBatched(pass);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const passId = existing === 'skip' && error instanceof PassExists ? request.id : null;
      const known = passId ? await this.repository.find({ accountId, templateId, passId }) : null;
      return known ? { ...this.toBatched(known.pass), existing: true } : error;
    }
  }

  private toBatched({ accountId, templateId, id }: Pass): BatchedPass {
    return { id, ...passLinks(this.options.baseUrl, { accountId, templateId, passId: id }) };
  }
}

function problemOf(template: Template, request: PassRequest): ValidationFailed | null {
  const problems = contentProblems(template, requestedContent(request));
  return problems.length > 0 ? new ValidationFailed(problems) : null;
}

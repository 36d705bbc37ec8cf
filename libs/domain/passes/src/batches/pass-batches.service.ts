import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AppError, bodyValidation, Clock, LimitExceeded, randomId, ValidationFailed } from '@passwright/core';
import { Database, isTransactionConflict } from '@passwright/database';
import { type Template, TemplateArchived, TemplatesService } from '@passwright/templates';
import { newPass } from '../content/pass-changes.js';
import { contentProblems, type PassContent, requestedContent } from '../content/pass-content.js';
import { PassRequest } from '../content/pass.dto.js';
import type { Pass } from '../content/pass.entity.js';
import { passLinks } from '../addresses/pass-links.js';
import { PassExists } from '../passes/passes.errors.js';
import { PassesRepository } from '../passes/passes.repository.js';
import { PassesService } from '../passes/passes.service.js';
import { PassesOptions } from '../passes.options.js';
import type { BatchedPass, PassBatchQuery } from './pass-batch.dto.js';

type Outcome = BatchedPass | AppError;
type Outcomes = ReadonlyMap<PassLine, Outcome>;
type Address = Pick<Pass, 'accountId' | 'templateId'>;
type Key = Address & Pick<Pass, 'id'>;

/** A line that the template allows. */
export interface PassLine {
  readonly request: PassRequest;
  readonly content: PassContent;
  /** The revision of the template that allows it. */
  readonly revision: number;
}

/** The number of lines that are checked before other requests have their turn. */
const READ_TOGETHER = 50;
/** The number of images that are fetched, one after the other, before their lines get responses. */
const IMAGES_TOGETHER = 20;

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

  /** Reads lines as the caller sent them, and lets other requests have their turn in between. @throws TemplateNotFound */
  async read(accountId: string, templateId: string, lines: readonly object[]): Promise<(PassLine | AppError)[]> {
    const template = await this.templates.get(accountId, templateId);
    const read: (PassLine | AppError)[] = [];
    for (const line of lines) {
      read.push(await this.readLine(template, line));
      if (read.length % READ_TOGETHER === 0) await nextTurn();
    }
    return read;
  }

  /**
   * Issues the first lines, up to those that need many images. @returns one outcome for each of them, in order
   * @throws TemplateNotFound, TemplateArchived
   */
  async issue(
    accountId: string,
    templateId: string,
    lines: readonly PassLine[],
    query: PassBatchQuery,
  ): Promise<Outcome[]> {
    const address = { accountId, templateId };
    const first = withFewImages(lines);
    const together = issuedTogether(first);
    const isTogether = new Set(together);
    const done = await this.issueFitting(address, together, query);
    const existing = await this.existingOutcomes(
      address,
      first.filter((line) => !isTogether.has(line)),
      query,
    );
    const outcomes: Outcome[] = [];
    let full: LimitExceeded | null = null;
    for (const line of first) {
      const outcome: Outcome =
        done.get(line) ?? existing.get(line) ?? full ?? (await this.issueAlone(address, line.request, query));
      if (outcome instanceof LimitExceeded) full = outcome;
      outcomes.push(outcome);
    }
    return outcomes;
  }

  private async readLine(template: Template, line: object): Promise<PassLine | AppError> {
    try {
      const metatype = PassRequest;
      const request = (await bodyValidation.transform(line, { type: 'body', metatype })) as PassRequest;
      const content = requestedContent(request);
      return problemOf(template, content) ?? { request, content, revision: template.revision };
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  /**
   * Issues as many of the passes as the limit allows, in order, by halving what does not fit. Also halves what conflicts
   * with other batches again and again, because their codes come in another order.
   */
  private async issueFitting(address: Address, lines: readonly PassLine[], query: PassBatchQuery): Promise<Outcomes> {
    try {
      return await this.issueTogether(address, lines, query);
    } catch (error) {
      const isOverLimit = error instanceof LimitExceeded;
      if (lines.length === 1 && isOverLimit) return rejected(lines, error);
      if (lines.length === 1 || !(isOverLimit || isTransactionConflict(error))) throw error;
      const middle = lines.length >> 1;
      const first = await this.issueFitting(address, lines.slice(0, middle), query);
      const rest = lines.slice(middle);
      const full = [...first.values()].find((outcome) => outcome instanceof LimitExceeded);
      return new Map([...first, ...(full ? rejected(rest, full) : await this.issueFitting(address, rest, query))]);
    }
  }

  /**
   * Issues passes in one statement, and finds the existing ones in another.
   * @returns the outcomes; the caller issues the other passes one by one to find their errors
   */
  private issueTogether(
    { accountId, templateId }: Address,
    lines: readonly PassLine[],
    query: PassBatchQuery,
  ): Promise<Outcomes> {
    if (lines.length === 0) return Promise.resolve(new Map());
    return this.database.transaction(async (tx) => {
      const locked = await this.templates.lockForIssue(tx, accountId, templateId);
      const isAllowed = ({ content, revision }: PassLine) =>
        revision === locked.revision || problemOf(locked, content) === null;
      const allowed = lines.filter(isAllowed).sort(byCodeOrId);
      const now = this.clock.now();
      const passes = allowed.map(({ request, content }) =>
        newPass(locked, request.id ?? randomId(), content, null, now),
      );
      const inserted = await this.repository.insertNew(tx, passes);
      const others = passes.filter(({ serialNumber }) => !inserted.has(serialNumber)).map(({ id }) => id);
      const known = await this.repository.existing(tx, accountId, templateId, others);
      const outcomes = new Map<PassLine, Outcome>();
      for (const [index, pass] of passes.entries()) {
        const line = allowed[index] as PassLine;
        if (inserted.has(pass.serialNumber)) outcomes.set(line, this.toBatched(pass));
        else if (known.has(pass.id)) outcomes.set(line, this.existingOutcome(pass, query));
      }
      return outcomes;
    });
  }

  /** Finds the lines whose pass exists, so that no image is fetched for them. */
  private async existingOutcomes(
    { accountId, templateId }: Address,
    lines: readonly PassLine[],
    query: PassBatchQuery,
  ): Promise<Outcomes> {
    const ids = lines.flatMap(({ request }) => request.id ?? []);
    if (ids.length === 0) return new Map();
    const known = await this.database.transaction((tx) => this.repository.existing(tx, accountId, templateId, ids));
    return new Map(
      lines.flatMap((line) => {
        const { id } = line.request;
        if (!id || !known.has(id)) return [];
        return [[line, this.existingOutcome({ accountId, templateId, id }, query)] as const];
      }),
    );
  }

  private existingOutcome(pass: Key, { existing }: PassBatchQuery): Outcome {
    return existing === 'skip'
      ? { ...this.toBatched(pass), existing: true }
      : new PassExists('id', pass.templateId, pass.id);
  }

  private async issueAlone(
    { accountId, templateId }: Address,
    request: PassRequest,
    { existing }: PassBatchQuery,
  ): Promise<Outcome> {
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

  private toBatched({ accountId, templateId, id }: Key): BatchedPass {
    return { id, ...passLinks(this.options.baseUrl, { accountId, templateId, passId: id }) };
  }
}

const needsImage = ({ content }: PassLine) => content.thumbnailUrl !== null;

/** Returns the first lines, so that at most `IMAGES_TOGETHER` of them need an image. */
function withFewImages(lines: readonly PassLine[]): readonly PassLine[] {
  let images = 0;
  const end = lines.findIndex((line) => needsImage(line) && ++images > IMAGES_TOGETHER);
  return end === -1 ? lines : lines.slice(0, end);
}

/**
 * Returns the lines that one statement can issue in any order: those that need no image, and are the first with their
 * id and code.
 */
function issuedTogether(lines: readonly PassLine[]): readonly PassLine[] {
  const [ids, codes] = [new Set<string>(), new Set<string>()];
  const isFirst = (seen: Set<string>, value: string | null | undefined) => {
    if (value === null || value === undefined) return true;
    const before = seen.size;
    return seen.add(value).size > before;
  };
  return lines.filter((line) => {
    const isFirstWithBoth = [isFirst(ids, line.request.id), isFirst(codes, line.content.code)].every(Boolean);
    return isFirstWithBoth && !needsImage(line);
  });
}

/** Orders lines so that simultaneous batches with the same ids or codes wait for each other, and do not deadlock. */
function byCodeOrId(a: PassLine, b: PassLine): number {
  const [first, second] = [a, b].map(({ content, request }) => content.code ?? request.id ?? '') as [string, string];
  return first === second ? 0 : first < second ? -1 : 1;
}

function rejected(lines: readonly PassLine[], error: AppError): Outcomes {
  return new Map(lines.map((line) => [line, error]));
}

function problemOf(template: Template, content: PassContent): ValidationFailed | null {
  const problems = contentProblems(template, content);
  return problems.length > 0 ? new ValidationFailed(problems) : null;
}

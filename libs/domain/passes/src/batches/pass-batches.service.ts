import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AppError, bodyValidation, LimitExceeded, ValidationFailed } from '@passwright/core';
import { Database, isDatabaseUnavailable, isStatementTimeout, isTransactionConflict } from '@passwright/database';
import { type Template, TemplateArchived, TemplatesService } from '@passwright/templates';
import { contentProblems, type PassContent, requestedContent } from '../content/pass-content.js';
import { PassRequest } from '../content/pass.dto.js';
import type { Pass } from '../content/pass.entity.js';
import { passLinks } from '../addresses/pass-links.js';
import { PassExists } from '../passes/passes.errors.js';
import { PassesRepository, type TakenKeys } from '../passes/passes.repository.js';
import { NewPassesService } from '../passes/new-passes.service.js';
import { PassesService } from '../passes/passes.service.js';
import { PassesOptions } from '../passes.options.js';
import type { BatchedPass, PassBatchQuery } from './pass-batch.dto.js';

type Outcome = BatchedPass | Error;
type Outcomes = Map<PassLine, Outcome>;
type Address = Pick<Pass, 'accountId' | 'templateId'>;
type Key = Address & Pick<Pass, 'id'>;
/** The id and the code that a line requests; null if the service should choose them. */
type WantedPass = Address & { readonly id: string | null; readonly code: string | null };

/** A line of a batch that the template allows. */
export interface PassLine {
  readonly request: PassRequest;
  readonly content: PassContent;
  /** The template revision that allows the line. */
  readonly revision: number;
}

/** The number of lines that are checked before the event loop serves other requests. */
const READ_TOGETHER = 50;
/** Maximum number of images that are fetched in one call, one after another. */
const IMAGES_TOGETHER = 20;
/**
 * Maximum number of timeouts. Each attempt has half as many lines, so after this many timeouts the cause must be a
 * lock.
 */
const MOST_TIMEOUTS = 3;

/** Issues passes in batches, each in one statement, and reports errors per line. `sendLines` streams the lines. */
@Injectable()
export class PassBatchesService {
  constructor(
    private readonly database: Database,
    private readonly repository: PassesRepository,
    private readonly passes: PassesService,
    private readonly newPasses: NewPassesService,
    private readonly templates: TemplatesService,
    private readonly options: PassesOptions,
  ) {}

  /**
   * Checks that the template exists and is not archived, before the first line is read. @throws TemplateNotFound,
   * TemplateArchived
   */
  async requireTemplate(accountId: string, templateId: string): Promise<void> {
    const { archivedAt } = await this.templates.get(accountId, templateId);
    if (archivedAt) throw new TemplateArchived(templateId);
  }

  /** Parses and checks lines. Yields to other requests in between. @throws TemplateNotFound */
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
   * Issues the first lines of the same kind: those with images or those without (`issuedAlike`).
   * @returns one outcome for each of these lines, in order. An error that stops the issuing is the outcome of all
   * remaining lines
   * @throws TemplateNotFound, TemplateArchived, or another error, if no line has an outcome
   */
  async issue(
    accountId: string,
    templateId: string,
    lines: readonly PassLine[],
    query: PassBatchQuery,
  ): Promise<Outcome[]> {
    const first = issuedAlike(lines);
    const outcomes: Outcomes = new Map();
    let failure: unknown;
    try {
      await this.issueEach({ accountId, templateId }, first, query, outcomes);
    } catch (error) {
      if (outcomes.size === 0) throw error;
      failure = error;
    }
    return first.map((line) => outcomes.get(line) ?? (failure as Error));
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

  /** Issues lines and adds their outcomes. @throws an error if the remaining lines cannot be issued now */
  private async issueEach(
    address: Address,
    lines: readonly PassLine[],
    query: PassBatchQuery,
    outcomes: Outcomes,
  ): Promise<void> {
    await this.issueFitting(address, issuedTogether(lines), query, outcomes);
    await this.noteTaken(address, lines, query, outcomes);
    let full: LimitExceeded | null = null;
    for (const line of lines) {
      const outcome: Outcome = outcomes.get(line) ?? full ?? (await this.issueAlone(address, line.request, query));
      if (outcome instanceof LimitExceeded) full = outcome;
      outcomes.set(line, outcome);
    }
  }

  /**
   * Issues as many of the passes as the limit allows, in order. Halves a list of lines if it exceeds the limit, takes
   * too long, or repeatedly conflicts with another batch.
   * @param timeouts the number of larger lists that took too long.
   * @returns false if a line reached the limit; the later lines have no outcome
   */
  private async issueFitting(
    address: Address,
    lines: readonly PassLine[],
    query: PassBatchQuery,
    outcomes: Outcomes,
    timeouts = 0,
  ): Promise<boolean> {
    try {
      for (const [line, outcome] of await this.issueTogether(address, lines, query)) outcomes.set(line, outcome);
      return true;
    } catch (error) {
      const [line] = lines;
      if (line && lines.length === 1 && error instanceof LimitExceeded) {
        outcomes.set(line, error);
        return false;
      }
      const late = isStatementTimeout(error) ? timeouts + 1 : timeouts;
      if (lines.length === 1 || late === MOST_TIMEOUTS || !mayFitInParts(error)) throw error;
      const middle = lines.length >> 1;
      const isFirstIssued = await this.issueFitting(address, lines.slice(0, middle), query, outcomes, late);
      return isFirstIssued && this.issueFitting(address, lines.slice(middle), query, outcomes, late);
    }
  }

  /**
   * Issues passes in one statement, and finds existing passes in another.
   * @returns the outcomes. The caller issues each pass without an outcome alone, to get its error
   */
  private async issueTogether(
    { accountId, templateId }: Address,
    lines: readonly PassLine[],
    query: PassBatchQuery,
  ): Promise<Outcomes> {
    if (lines.length === 0) return new Map();
    return this.database.transaction(async (tx) => {
      const { inserted, taken: others } = await this.newPasses.insertAll(tx, { accountId, templateId }, lines);
      const taken = await this.repository.taken(tx, accountId, templateId, [...others.values()]);
      const outcomes: Outcomes = new Map();
      for (const [line, { pass }] of inserted) outcomes.set(line, this.toBatched(pass));
      for (const [line, pass] of others) {
        const outcome = this.takenOutcome(pass, taken, query);
        if (outcome) outcomes.set(line, outcome);
      }
      return outcomes;
    });
  }

  /** Adds the outcomes of the remaining lines whose id or code is taken. These lines do not count towards the limit. */
  private async noteTaken(
    { accountId, templateId }: Address,
    lines: readonly PassLine[],
    query: PassBatchQuery,
    outcomes: Outcomes,
  ): Promise<void> {
    const wanted = lines.flatMap((line) => {
      const { request, content } = line;
      const { id = null } = request;
      return outcomes.has(line) || (id ?? content.code) === null ? [] : [{ line, id, code: content.code }];
    });
    if (wanted.length === 0) return;
    const taken = await this.database.transaction((tx) => this.repository.taken(tx, accountId, templateId, wanted));
    for (const { line, id, code } of wanted) {
      const outcome = this.takenOutcome({ accountId, templateId, id, code }, taken, query);
      if (outcome) outcomes.set(line, outcome);
    }
  }

  /** Returns the outcome of a line whose id or code is taken; null if both are free. */
  private takenOutcome(
    { accountId, templateId, id, code }: WantedPass,
    { ids, codes }: TakenKeys,
    { existing }: PassBatchQuery,
  ): Outcome | null {
    if (id !== null && ids.has(id)) {
      return existing === 'skip'
        ? { ...this.toBatched({ accountId, templateId, id }), existing: true }
        : new PassExists('id', templateId, id);
    }
    return code !== null && codes.has(code) ? new PassExists('code', templateId, code) : null;
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
      // The database is unavailable, so the other lines would fail too.
      if (isDatabaseUnavailable(error)) throw error;
      if (!(error instanceof AppError)) return error as Error;
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

/**
 * Returns the first lines of the same kind: at most `IMAGES_TOGETHER` lines with images, or any number of lines without
 * images. Does not mix the kinds, so that a later line without an image cannot use up the limit before an earlier line
 * with an image.
 */
function issuedAlike(lines: readonly PassLine[]): readonly PassLine[] {
  const withImage = lines.findIndex(needsImage);
  if (withImage !== 0) return lines.slice(0, withImage === -1 ? lines.length : withImage);
  const end = lines.findIndex((line) => !needsImage(line));
  return lines.slice(0, Math.min(end === -1 ? lines.length : end, IMAGES_TOGETHER));
}

/**
 * Returns the lines that one statement can issue in any order: lines without an image, whose id and code differ from
 * those of all earlier lines.
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

/** Returns true if a statement for fewer lines may succeed. */
function mayFitInParts(error: unknown): boolean {
  return error instanceof LimitExceeded || isTransactionConflict(error) || isStatementTimeout(error);
}

function problemOf(template: Template, content: PassContent): ValidationFailed | null {
  const problems = contentProblems(template, content);
  return problems.length > 0 ? new ValidationFailed(problems) : null;
}

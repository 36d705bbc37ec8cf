import { isGoogleId, type GoogleVertical } from '@passwright/google-wallet-schema';
import { isJsonObject } from './compact-jwt.js';
import { GoogleRejection, invalid, notFound } from './google-rejection.js';
import { conforming, patched, type GoogleBody, type ResourceKind } from './resource-form.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The maximum number of linked objects. Others are ignored. */
const MOST_LINKED = 50;
/** The maximum number of messages with a notification per day, for one class or object. */
const NOTIFICATIONS_A_DAY = 3;

/** The classes in a save link that are not stored yet. */
export type ClassesAlongside = ReadonlyMap<string, { readonly kind: ResourceKind; readonly body: GoogleBody }>;

/** A message that was added to a class or an object. */
export interface AddedMessage {
  /** The full id of the class or object. */
  readonly resourceId: string;
  readonly id: string | undefined;
  readonly header: string | undefined;
  readonly body: string | undefined;
  /** True if the message notified the holders. */
  readonly notified: boolean;
  readonly at: Date;
}

/** The stored classes and objects, the holders, and the rules for writes. Nothing is ever deleted. */
export class ResourceStore {
  /** The added messages in order. A message that is added twice counts twice, as at Google. */
  readonly added: AddedMessage[] = [];
  private readonly bodies = { class: new Map<string, GoogleBody>(), object: new Map<string, GoogleBody>() };
  private readonly verticals = { class: new Map<string, GoogleVertical>(), object: new Map<string, GoogleVertical>() };
  private readonly holdersOf = new Map<string, Set<string>>();
  private readonly notified = new Map<string, number[]>();
  /** When the validity of active objects ends, in milliseconds. */
  private readonly ends = new Map<string, number>();
  private nextEnd = Infinity;

  constructor(
    private readonly now: () => Date,
    private readonly rejectUnknown: () => boolean,
  ) {}

  /** Returns the resources by id. An object is EXPIRED if its validity has ended. */
  all(part: ResourceKind['part']): ReadonlyMap<string, GoogleBody> {
    this.expire();
    return this.bodies[part];
  }

  /** Returns a resource; null if it is missing or belongs to another vertical. */
  find({ vertical, part }: ResourceKind, id: string): GoogleBody | null {
    return this.verticals[part].get(id) === vertical ? (this.all(part).get(id) ?? null) : null;
  }

  /** Returns a resource. @throws GoogleRejection 404 */
  get(kind: ResourceKind, id: string): GoogleBody {
    return this.find(kind, id) ?? notFound('resourceNotFound', `There is no ${kind.vertical} ${kind.part} "${id}".`);
  }

  /** Returns the vertical of a resource, or undefined when it is missing. */
  verticalOf(part: ResourceKind['part'], id: string): GoogleVertical | undefined {
    return this.verticals[part].get(id);
  }

  /** Returns the resource that an insert would store. @throws GoogleRejection */
  planInsert(kind: ResourceKind, sent: object, alongside?: ClassesAlongside): GoogleBody {
    const body = conforming(kind, sent, this.rejectUnknown());
    if (this.verticals[kind.part].has(body.id))
      throw new GoogleRejection(409, 'existingResource', `There is already a ${kind.part} "${body.id}".`);
    this.checkClass(kind, body, alongside);
    return this.linked(body, []);
  }

  /** Returns the resource that a PUT would store. A PUT clears omitted properties. @throws GoogleRejection */
  planUpdate(kind: ResourceKind, id: string, sent: object): GoogleBody {
    return this.planChange(kind, this.get(kind, id), { ...sent, id: idOf(sent) ?? id });
  }

  /** Returns the resource that a PATCH would store. @throws GoogleRejection */
  planPatch(kind: ResourceKind, id: string, sent: object): GoogleBody {
    const stored = this.get(kind, id);
    return this.planChange(kind, stored, patched(stored, sent));
  }

  /**
   * Returns the resource with an added message.
   * @throws GoogleRejection 403 quotaExceeded for a fourth notification within 24 hours
   */
  planMessage(kind: ResourceKind, id: string, message: unknown): GoogleBody {
    const stored = this.get(kind, id);
    if (!isJsonObject(message)) invalid('The body must be {"message": {…}}.');
    const before = Array.isArray(stored['messages']) ? (stored['messages'] as unknown[]) : [];
    // Replace the review status, because the check below rejects APPROVED and a message needs no review.
    const standing = kind.part === 'class' && kind.vertical !== 'generic' ? { reviewStatus: 'UNDER_REVIEW' } : {};
    const messages = [...before, message];
    const body = conforming(kind, { ...stored, ...standing, messages }, this.rejectUnknown());
    if (notifies(body) && this.notificationsOf(id).length >= NOTIFICATIONS_A_DAY)
      throw new GoogleRejection(403, 'quotaExceeded', `"${id}" has had its notifications of 24 hours.`);
    return body;
  }

  /**
   * Stores a planned resource.
   * @param announced true if the write added a message
   */
  put({ vertical, part }: ResourceKind, body: GoogleBody, announced = false): GoogleBody {
    // Approve the class immediately, without a review.
    const stored = body['reviewStatus'] === 'UNDER_REVIEW' ? { ...body, reviewStatus: 'APPROVED' } : body;
    this.bodies[part].set(body.id, stored);
    this.verticals[part].set(body.id, vertical);
    if (announced) this.announce(stored);
    if (part === 'object') this.noteEnd(stored);
    this.expire();
    return this.bodies[part].get(body.id) ?? stored;
  }

  /** Returns the users who have the object in their wallets. */
  holders(objectId: string): Set<string> {
    const known = this.holdersOf.get(objectId) ?? new Set<string>();
    this.holdersOf.set(objectId, known);
    return known;
  }

  hasUsers(objectId: string): boolean {
    return (this.holdersOf.get(objectId)?.size ?? 0) > 0;
  }

  clear(): void {
    for (const part of ['class', 'object'] as const) {
      this.bodies[part].clear();
      this.verticals[part].clear();
    }
    for (const map of [this.holdersOf, this.notified, this.ends]) map.clear();
    this.nextEnd = Infinity;
    this.added.length = 0;
  }

  private announce(body: GoogleBody): void {
    const at = this.now();
    const notified = notifies(body);
    const { id, header, body: text } = (body['messages'] as Partial<AddedMessage>[]).at(-1) ?? {};
    this.added.push({ resourceId: body.id, id, header, body: text, notified, at });
    if (notified) this.notified.set(body.id, [...this.notificationsOf(body.id), at.getTime()]);
  }

  private planChange(kind: ResourceKind, stored: GoogleBody, sent: object): GoogleBody {
    if (idOf(sent) !== stored.id) invalid(`The id in the body must be "${stored.id}", as in the path.`);
    const body = conforming(kind, sent, this.rejectUnknown());
    if (body['reviewStatus'] === 'DRAFT' && stored['reviewStatus'] !== 'DRAFT')
      invalid('Invalid review status Optional[DRAFT]: a class that has left DRAFT does not return to it.');
    this.checkClass(kind, body);
    return this.linked(body, linksOf(stored));
  }

  /**
   * Returns an object with all its links, including those from earlier writes.
   * @throws GoogleRejection for an unknown object
   */
  private linked(body: GoogleBody, before: readonly string[]): GoogleBody {
    const links = [...new Set([...before, ...linksOf(body)])];
    const unknown = links.find((id) => !this.bodies.object.has(id));
    if (unknown !== undefined) invalid(`There is no object "${unknown}" to link.`);
    return links.length === 0 ? body : { ...body, linkedObjectIds: links.slice(0, MOST_LINKED) };
  }

  private checkClass({ vertical, part }: ResourceKind, body: GoogleBody, alongside?: ClassesAlongside): void {
    if (part === 'class') return;
    const classId = String(body['classId']);
    if (!isGoogleId(classId)) throw new GoogleRejection(400, 'invalidResource', `Invalid resource ID: "${classId}".`);
    const brought = alongside?.get(classId);
    const found = this.bodies.class.get(classId) ?? brought?.body;
    if (!found) notFound('classNotFound', `IssuerClassNotFoundException: there is no class "${classId}".`);
    if ((this.verticals.class.get(classId) ?? brought?.kind.vertical) !== vertical)
      invalid(`The class "${classId}" is not a ${vertical} class.`);
    if (found['reviewStatus'] === 'DRAFT') invalid(`The class "${classId}" is a DRAFT: no object may be of it.`);
  }

  private notificationsOf(id: string): number[] {
    const since = this.now().getTime() - DAY_MS;
    return (this.notified.get(id) ?? []).filter((at) => at > since);
  }

  private noteEnd(body: GoogleBody): void {
    const interval = body['validTimeInterval'] as { end?: { date?: string } } | undefined;
    const end = dateMs(interval?.end?.date ?? '');
    if ((body['state'] ?? 'ACTIVE') !== 'ACTIVE' || Number.isNaN(end)) this.ends.delete(body.id);
    else this.ends.set(body.id, end);
    this.nextEnd = Math.min(this.nextEnd, end || Infinity);
  }

  private expire(): void {
    const now = this.now().getTime();
    if (now < this.nextEnd) return;
    for (const [id, end] of this.ends) {
      const body = this.bodies.object.get(id);
      if (end > now || !body) continue;
      this.ends.delete(id);
      this.bodies.object.set(id, { ...body, state: 'EXPIRED' });
    }
    this.nextEnd = Math.min(Infinity, ...this.ends.values());
  }
}

function linksOf({ linkedObjectIds }: GoogleBody): readonly string[] {
  return Array.isArray(linkedObjectIds) ? (linkedObjectIds as string[]) : [];
}

function idOf(body: object): unknown {
  return (body as { id?: unknown }).id;
}

function notifies(body: GoogleBody): boolean {
  const last = (body['messages'] as { messageType?: unknown }[] | undefined)?.at(-1);
  return last?.messageType === 'TEXT_AND_NOTIFY';
}

/** Parses a date. A date without an offset is the holder's local time, which counts as UTC here. */
function dateMs(date: string): number {
  return Date.parse(/(?:Z|[+-]\d\d:\d\d(?::\d\d)?)$/.test(date.slice(10)) ? date : `${date}Z`);
}

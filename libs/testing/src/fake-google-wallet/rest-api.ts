import { isGoogleId, type GoogleVertical } from '@passwright/google-wallet-schema';
import { isJsonObject } from './compact-jwt.js';
import { GoogleRejection, invalid, notFound, type GoogleReply } from './google-rejection.js';
import type { ImageFetches } from './image-fetches.js';
import { asResponse, type GoogleBody, type ResourceKind } from './resource-form.js';
import type { ResourceStore } from './resource-store.js';
import { issuerOf, type SaveLinks } from './save-links.js';
import type { ServiceAccounts, TestServiceAccount } from './service-accounts.js';

const PREFIX = '/walletobjects/v1/';
const segmentKinds: ReadonlyMap<string, ResourceKind> = new Map(
  (['offer', 'eventTicket', 'generic', 'loyalty'] as const).flatMap((vertical): [string, ResourceKind][] => [
    [`${vertical}Class`, { vertical, part: 'class' }],
    [`${vertical}Object`, { vertical, part: 'object' }],
  ]),
);
const LINKING: readonly GoogleVertical[] = ['eventTicket', 'loyalty'];

/** An API request, and the account to which its token belongs. */
export interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
  readonly account: TestServiceAccount;
}

/** The parts of the fake that the API uses. */
export interface ApiParts {
  readonly store: ResourceStore;
  readonly links: SaveLinks;
  readonly images: ImageFetches;
  readonly accounts: ServiceAccounts;
  readonly fetchImages: () => boolean;
  /** Returns the address of the save page. */
  readonly saveUrl: () => string;
  readonly issuerName: (issuerId: string) => string;
}

/**
 * A fake of Google Wallet's REST API for the four verticals.
 * @see https://developers.google.com/wallet/reference/rest
 */
export class RestApi {
  constructor(private readonly parts: ApiParts) {}

  /** Handles a request. @throws GoogleRejection */
  async reply(request: ApiRequest): Promise<GoogleReply> {
    const { pathname } = request.url;
    if (!pathname.startsWith(PREFIX)) notFound('resourceNotFound', `There is nothing at ${pathname}.`);
    const [segment = '', id, action, ...more] = pathname.slice(PREFIX.length).split('/').map(decoded);
    if (more.length > 0) notFound('resourceNotFound', `There is nothing at ${pathname}.`);
    if (request.method === 'DELETE') throw new GoogleRejection(405, 'methodNotAllowed', 'Nothing can be deleted.');
    const kind = segmentKinds.get(segment);
    if (!kind) return this.besides(segment, id, request);
    if (id === undefined) return request.method === 'POST' ? this.insert(kind, request) : this.list(kind, request);
    this.checkRight(request.account, id);
    return action === undefined ? this.one(kind, id, request) : this.act(kind, id, action, request);
  }

  private async insert(kind: ResourceKind, { account, body }: ApiRequest): Promise<GoogleReply> {
    const sent = jsonBody(body);
    this.checkRight(account, String((sent as { id?: unknown }).id));
    return this.write(kind, () => this.parts.store.planInsert(kind, sent));
  }

  private async one(kind: ResourceKind, id: string, { method, body }: ApiRequest): Promise<GoogleReply> {
    const { store } = this.parts;
    if (method === 'GET') return ok({ ...this.toBody(kind, store.get(kind, id)), ...this.classReference(kind, id) });
    const change = { PUT: 'planUpdate', PATCH: 'planPatch' } as const;
    const plan = change[onlyOf(method, ['PUT', 'PATCH'])];
    const sent = jsonBody(body);
    return this.write(kind, () => store[plan](kind, id, sent));
  }

  private async act(kind: ResourceKind, id: string, action: string, { method, body }: ApiRequest) {
    const links = action === 'modifyLinkedOfferObjects' && kind.part === 'object' && LINKING.includes(kind.vertical);
    if (action !== 'addMessage' && !links) notFound('resourceNotFound', `There is no ${kind.part} action "${action}".`);
    onlyOf(method, ['POST']);
    const { store } = this.parts;
    const sent = jsonBody(body) as Record<string, unknown>;
    if (links) return this.write(kind, () => store.planPatch(kind, id, relinked(store.get(kind, id), sent)));
    const stored = store.put(kind, store.planMessage(kind, id, sent['message']), true);
    return ok({ resource: this.toBody(kind, stored) }, true);
  }

  private list(kind: ResourceKind, { method, url, account }: ApiRequest): GoogleReply {
    onlyOf(method, ['GET']);
    const parent = url.searchParams.get(kind.part === 'class' ? 'issuerId' : 'classId') ?? '';
    this.checkRight(account, kind.part === 'class' ? `${parent}.x` : parent);
    const { store } = this.parts;
    const all = [...store.all(kind.part).values()].filter(
      (body) =>
        store.verticalOf(kind.part, body.id) === kind.vertical &&
        (kind.part === 'class' ? issuerOf(body.id) : body['classId']) === parent,
    );
    const start = whole(url, 'token', 0);
    const page = all.slice(start, start + whole(url, 'maxResults', Infinity));
    const next = start + page.length;
    const pagination = {
      kind: 'walletobjects#pagination',
      resultsPerPage: page.length,
      ...(next < all.length && { nextPageToken: String(next) }),
    };
    return ok({ resources: page.map((body) => this.toBody(kind, body)), pagination });
  }

  private async besides(segment: string, id: string | undefined, request: ApiRequest): Promise<GoogleReply> {
    const { issuerId } = request.account;
    if (segment === 'jwt') return this.jwt(id, request);
    if (segment === 'issuer') {
      onlyOf(request.method, ['GET']);
      if (id === undefined) return ok({ resources: [this.issuer(issuerId)] });
      this.checkRight(request.account, `${id}.x`);
      return ok(this.issuer(id));
    }
    if (segment !== 'permissions' || id === undefined)
      notFound('resourceNotFound', `There is nothing at ${request.url.pathname}.`);
    onlyOf(request.method, ['GET']);
    this.checkRight(request.account, `${id}.x`);
    return ok({ issuerId: id, permissions: [{ emailAddress: request.account.clientEmail, role: 'WRITER' }] });
  }

  private async jwt(action: string | undefined, { method, body }: ApiRequest): Promise<GoogleReply> {
    onlyOf(method, ['POST']);
    const { links, store, fetchImages, saveUrl } = this.parts;
    const sent = jsonBody(body) as { jwt?: unknown; jwtResource?: { jwt?: unknown } };
    if (action === 'validate') {
      links.plan(links.read(String(sent.jwtResource?.jwt)));
      return ok({});
    }
    if (action !== undefined) notFound('resourceNotFound', `There is nothing at jwt/${action}.`);
    const link = links.read(String(sent.jwt));
    await links.create(link, fetchImages());
    const resources: Record<string, object[]> = {};
    for (const { name, kind, id } of link.entries)
      (resources[name] ??= []).push(this.toBody(kind, store.get(kind, id)));
    return ok({ saveUri: `${saveUrl()}/${String(sent.jwt)}`, resources }, true);
  }

  /** Fetches all images of the resource, and then stores it. */
  private async write(kind: ResourceKind, plan: () => GoogleBody): Promise<GoogleReply> {
    const { images, store, fetchImages } = this.parts;
    const planned = plan();
    if (fetchImages()) await images.check([planned]);
    // Compute the result again, because other requests may have written during the fetch.
    return ok(this.toBody(kind, store.put(kind, plan())), true);
  }

  private toBody(kind: ResourceKind, body: GoogleBody): Record<string, unknown> {
    return asResponse(kind, body, this.parts.store.hasUsers(body.id));
  }

  private classReference(kind: ResourceKind, objectId: string): object {
    if (kind.part === 'class' || kind.vertical === 'generic') return {};
    const { store } = this.parts;
    const classKind = { vertical: kind.vertical, part: 'class' } as const;
    const found = store.find(classKind, String(store.get(kind, objectId)['classId']));
    return found ? { classReference: this.toBody(classKind, found) } : {};
  }

  private issuer(issuerId: string): object {
    return { issuerId, name: this.parts.issuerName(issuerId) };
  }

  private checkRight(account: TestServiceAccount, id: string): void {
    if (!isGoogleId(id))
      throw new GoogleRejection(400, 'invalidResource', `Invalid resource ID: "${id}" is not <issuer id>.<suffix>.`);
    if (!this.parts.accounts.mayWrite(account, issuerOf(id)))
      throw new GoogleRejection(
        403,
        'permissionDenied',
        `Permission denied: ${account.clientEmail} is no user of the issuer ${issuerOf(id)}.`,
      );
  }
}

function ok(body: object, stored = false): GoogleReply {
  return { status: 200, body, stored };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return invalid(`The path holds "${segment}", which is not percent-encoded text.`);
  }
}

function jsonBody(body: unknown): object {
  return isJsonObject(body) ? body : invalid('The body must be a JSON object.');
}

function onlyOf<T extends string>(method: string, methods: readonly T[]): T {
  const found = methods.find((each) => each === method);
  if (!found) throw new GoogleRejection(405, 'methodNotAllowed', `The method must be ${methods.join(' or ')}.`);
  return found;
}

/** Reads a whole number from the query. @throws GoogleRejection 400 for an invalid one */
function whole(url: URL, name: string, otherwise: number): number {
  const text = url.searchParams.get(name);
  if (text === null) return otherwise;
  return /^\d{1,9}$/.test(text) ? Number(text) : invalid(`The parameter ${name} is not valid: "${text}".`);
}

function relinked(stored: GoogleBody, sent: Record<string, unknown>): object {
  const ids = (name: string) => {
    const change = sent['linkedOfferObjectIds'];
    const list = isJsonObject(change) ? change[name] : undefined;
    return Array.isArray(list) ? list.map(String) : [];
  };
  const before = Array.isArray(stored['linkedOfferIds']) ? stored['linkedOfferIds'].map(String) : [];
  const removed = ids('removeLinkedOfferObjectIds');
  const all = new Set([...before, ...ids('addLinkedOfferObjectIds')].filter((id) => !removed.includes(id)));
  return { linkedOfferIds: [...all] };
}

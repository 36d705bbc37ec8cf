import { isGoogleId, type GoogleVertical } from '@passwright/google-wallet-schema';
import { compactJwt, isJsonObject, type CompactJwt } from './compact-jwt.js';
import { GoogleRejection, invalid, notFound } from './google-rejection.js';
import type { ImageFetches } from './image-fetches.js';
import type { GoogleBody, ResourceKind } from './resource-form.js';
import type { ResourceStore } from './resource-store.js';
import type { ServiceAccounts, TestServiceAccount } from './service-accounts.js';

/** The maximum length of a link. Browsers may truncate a longer one, which breaks its signature. */
export const MAX_LINK_LENGTH = 1800;
const LEEWAY_SECONDS = 300;
const TYPES = ['savetowallet', 'savetogooglepay', 'savetoandroidpay'];

const verticals: readonly GoogleVertical[] = ['offer', 'eventTicket', 'generic', 'loyalty'];
const payloadKinds: ReadonlyMap<string, ResourceKind> = new Map(
  verticals.flatMap((vertical): [string, ResourceKind][] => [
    [`${vertical}Classes`, { vertical, part: 'class' }],
    [`${vertical}Objects`, { vertical, part: 'object' }],
  ]),
);

interface Entry {
  /** The name of the list in the payload: `offerObjects`. */
  readonly name: string;
  readonly kind: ResourceKind;
  readonly id: string;
  readonly sent: Readonly<Record<string, unknown>>;
}

/** A save link whose signature and claims are valid. */
export interface ReadLink {
  readonly entries: readonly Entry[];
  /** The ids of the objects that the link saves. */
  readonly objectIds: readonly string[];
}

/** A class or object that a link contains in full. */
export interface NewResource {
  readonly kind: ResourceKind;
  readonly body: GoogleBody;
}

/** Reads save links and stores the resources that they contain. */
export class SaveLinks {
  constructor(
    private readonly accounts: ServiceAccounts,
    private readonly store: ResourceStore,
    private readonly images: ImageFetches,
    private readonly now: () => Date,
  ) {}

  /**
   * Verifies the signature, the claims, and the access to each id.
   * @throws GoogleRejection
   */
  read(jwtText: string): ReadLink {
    const jwt = compactJwt(jwtText) ?? invalid('This is no JWT: three parts in base64url without padding.');
    const account = this.signer(jwt);
    this.checkClaims(jwt);
    const payload = jwt.claims['payload'];
    if (!isJsonObject(payload)) invalid('The claim payload must be an object.');
    const entries = Object.entries(payload).flatMap(([name, list]) => entriesOf(name, list));
    if (entries.length === 0) invalid('The payload names no class and no object.');
    for (const { id } of entries) this.checkRight(account, id);
    const objectIds = entries.filter(({ kind }) => kind.part === 'object').map(({ id }) => id);
    return { entries, objectIds };
  }

  /**
   * Returns the resources that the link would create. Ignores content for existing ids.
   * @throws GoogleRejection 404 for an unknown reference
   */
  plan({ entries }: ReadLink): readonly NewResource[] {
    const classes = new Map<string, NewResource>();
    const created: NewResource[] = [];
    // Classes come first, because objects may refer to them.
    for (const part of ['class', 'object'] as const) {
      for (const { kind, id, sent } of entries.filter((entry) => entry.kind.part === part)) {
        if (this.store.find(kind, id)) continue;
        if (isReference(kind, sent)) notFound('resourceNotFound', `There is no ${kind.vertical} ${part} "${id}".`);
        const resource = { kind, body: this.store.planInsert(kind, sent, classes) };
        created.push(resource);
        if (part === 'class') classes.set(id, resource);
      }
    }
    return created;
  }

  /**
   * Creates all missing resources, or none if one is invalid.
   * @returns their ids
   * @throws GoogleRejection
   */
  async create(link: ReadLink, fetchImages: boolean): Promise<string[]> {
    const planned = this.plan(link);
    if (fetchImages) await this.images.check(planned.map(({ body }) => body));
    // Compute the result again, because other requests may have written during the fetch.
    return this.plan(link).map(({ kind, body }) => this.store.put(kind, body).id);
  }

  private signer(jwt: CompactJwt): TestServiceAccount {
    const issuer = jwt.claims['iss'];
    const account = this.accounts.find(issuer);
    const key = account && this.accounts.publicKey(account);
    if (!key) invalid(`The claim iss must be the e-mail address of a service account, not ${JSON.stringify(issuer)}.`);
    if (jwt.header['alg'] !== 'RS256') invalid('The header must have "alg": "RS256".');
    if (!jwt.isSignedBy(key)) invalid('The signature is not by the key of the service account.');
    return account;
  }

  private checkClaims({ claims: { aud, typ, iat, origins } }: CompactJwt): void {
    if (aud !== 'google') invalid('The claim aud must be "google".');
    if (typeof typ !== 'string' || !TYPES.includes(typ)) invalid('The claim typ must be "savetowallet".');
    if (!Number.isInteger(iat)) invalid('The claim iat must be a whole number of seconds.');
    if (Number(iat) > this.now().getTime() / 1000 + LEEWAY_SECONDS) invalid('The claim iat lies in the future.');
    const isList = Array.isArray(origins) && origins.every((origin) => typeof origin === 'string');
    if (origins !== undefined && !isList) invalid('The claim origins must be a list of texts.');
  }

  private checkRight(account: TestServiceAccount, id: string): void {
    if (!isGoogleId(id)) throw new GoogleRejection(400, 'invalidResource', `Invalid resource ID: "${id}".`);
    const issuerId = issuerOf(id);
    if (!this.accounts.mayWrite(account, issuerId))
      throw new GoogleRejection(
        403,
        'permissionDenied',
        `${account.clientEmail} is no user of the issuer ${issuerId}.`,
      );
  }
}

export function issuerOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}

function entriesOf(name: string, list: unknown): Entry[] {
  const kind = payloadKinds.get(name) ?? invalid(`The payload must not have "${name}".`);
  if (!Array.isArray(list)) invalid(`payload.${name} must be a list.`);
  return list.map((sent: unknown) => {
    if (!isJsonObject(sent)) invalid(`payload.${name} must be a list of objects.`);
    return { name, kind, id: String(sent['id']), sent };
  });
}

function isReference({ vertical, part }: ResourceKind, sent: object): boolean {
  // Treat every generic class as complete, because it may consist of its id alone.
  if (vertical === 'generic' && part === 'class') return false;
  return Object.keys(sent).every((name) => name === 'id' || name === 'classId');
}

import { createHash } from 'node:crypto';

/** The group of a pass, and its position in the group. Smaller numbers come first. */
export interface PassGroup {
  readonly id: string;
  readonly order: number;
}

/** Another pass of the same account. */
export interface PassReference {
  readonly templateId: string;
  readonly passId: string;
}

/**
 * The stored form of a link to another pass. The serial number ensures that the link never leads to a later pass with
 * the same ids, which may belong to another holder.
 */
export interface StoredReference extends PassReference {
  readonly serialNumber: string;
}

/** Returns the group of a request in its stored form. */
export function storedGroup(group: { id: string; order?: number | null } | null | undefined): PassGroup | null {
  return group ? { id: group.id, order: group.order ?? 0 } : null;
}

/** Returns a group after a merge patch. */
export function patchedGroup(current: PassGroup | null, patch: { id: string; order?: number | null }): PassGroup {
  return { id: patch.id, order: (patch.order === undefined ? current?.order : patch.order) ?? 0 };
}

/** Returns the ids of linked passes without duplicates; null if there are no links. */
export function plainReferences(links: readonly PassReference[] | null | undefined): PassReference[] | null {
  const byName = new Map(
    links?.map(({ templateId, passId }) => [referenceName({ templateId, passId }), { templateId, passId }]),
  );
  return byName.size > 0 ? [...byName.values()] : null;
}

/** Returns the name of a pass within its account, in the format that the address of a bundle uses. */
export function referenceName({ templateId, passId }: PassReference): string {
  return `${templateId}:${passId}`;
}

/**
 * Returns the id of a group for the wallets. It does not reveal the id that the caller chose. Two accounts never have
 * the same id, even if they share a pass type identifier or an issuer.
 */
export function groupingIdOf(accountId: string, groupId: string): string {
  return createHash('sha256')
    .update(JSON.stringify(['group', accountId, groupId]))
    .digest('base64url')
    .slice(0, 22);
}

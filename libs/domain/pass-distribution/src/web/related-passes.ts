import {
  referenceName,
  type PassAddress,
  type RelatedPass,
  type RelatedVersion,
  type WalletPass,
} from '@passwright/passes';
import { maxBundlePasses, passState } from '@passwright/wallet-renderers';

/** Maximum number of other passes on the page of a pass, so that one bundle can contain all passes of the page. */
export const maxRelatedPasses = maxBundlePasses - 1;

type Grouped = Pick<WalletPass['pass'], 'group'>;

/** Returns values that change whenever the related passes on the page of a pass change. */
export function versionOfRelated(related: readonly RelatedVersion[], now: Date): readonly unknown[] {
  return related.map(({ pass, template }) => [
    ...[pass.serialNumber, pass.updatedAt.getTime(), passState(template, pass, now)],
    ...[template.createdAt.getTime(), template.revision],
  ]);
}

/**
 * Returns the URL of the page that shows a pass together with its related passes: first the passes of its group in
 * their order, then the linked passes. Null without related passes.
 */
export function togetherUrl(
  baseUrl: string,
  address: PassAddress,
  { group }: Grouped,
  related: readonly RelatedPass[],
): string | null {
  if (related.length === 0) return null;
  const own = { address, group };
  const others = related.map(({ address: other, row }) => ({ address: other, group: row.pass.group }));
  const [mates, links] = [
    others.filter((other) => group && other.group?.id === group.id),
    others.filter((other) => !group || other.group?.id !== group.id),
  ];
  const inGroup = [own, ...mates].sort((a, b) => (a.group?.order ?? 0) - (b.group?.order ?? 0));
  const names = [...inGroup, ...links].map((one) => `pass=${encodeURIComponent(referenceName(one.address))}`);
  return `${baseUrl}/p/${address.accountId}/bundle?${names.join('&')}`;
}

/**
 * Moves the passes of each group together, to the position of the first of them. Sorts them in the order of the group.
 */
export function groupsTogether<Item>(items: readonly Item[], groupOf: (item: Item) => Grouped['group']): Item[] {
  const groups = new Map<unknown, Item[]>();
  for (const item of items) {
    const key = groupOf(item)?.id ?? item;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  const orderOf = (item: Item) => groupOf(item)?.order ?? 0;
  return [...groups.values()].flatMap((group) => group.sort((a, b) => orderOf(a) - orderOf(b)));
}

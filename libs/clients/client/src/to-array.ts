/**
 * Reads items, for example of a list, into an array: `toArray(passwright.each('listTemplates'))`.
 * @param most the maximum number of items. Fetches no page beyond it. Default: all items
 */
export async function toArray<Item>(items: AsyncIterable<Item>, most = Infinity): Promise<Item[]> {
  const array: Item[] = [];
  if (most <= 0) return array;
  for await (const item of items) if (array.push(item) >= most) break;
  return array;
}

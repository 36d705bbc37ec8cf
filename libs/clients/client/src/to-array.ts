/**
 * Reads items, such as those of a list, into an array: `toArray(passwright.each('listTemplates'))`.
 * @param most stops after this number of items, and fetches no further page. Default: reads all
 */
export async function toArray<Item>(items: AsyncIterable<Item>, most = Infinity): Promise<Item[]> {
  const array: Item[] = [];
  if (most <= 0) return array;
  for await (const item of items) if (array.push(item) >= most) break;
  return array;
}

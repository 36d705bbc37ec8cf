/** The imports of each file or folder, by path. */
export type ImportGraph = Map<string, Set<string>>;

/**
 * Finds the circles of a graph (Tarjan's strongly connected components).
 * @returns one line per circle: its nodes, sorted, such as `a, b, c`
 */
export function circles(graph: ImportGraph): string[] {
  const found: string[] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!));
    }
    if (low.get(node) !== index.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1) found.push(group.sort().join(', '));
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found.sort();
}

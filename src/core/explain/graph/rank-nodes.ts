/** Ranks nodes by the longest way from a root (Kahn's algorithm). Nodes on a cycle, and below one, have no rank. */
export function rankNodes<Id>(
  nodes: readonly Id[],
  edges: readonly { readonly from: Id; readonly to: Id }[],
): ReadonlyMap<Id, number> {
  const known = new Set(nodes);
  const waiting = new Map<Id, number>();
  const children = new Map<Id, Id[]>();
  for (const { from, to } of edges) {
    if (!known.has(from) || !known.has(to)) continue;
    waiting.set(to, (waiting.get(to) ?? 0) + 1);
    const siblings = children.get(from);
    if (siblings === undefined) children.set(from, [to]);
    else siblings.push(to);
  }
  const ranks = new Map<Id, number>();
  const longest = new Map<Id, number>();
  const open = nodes.filter((id) => !waiting.has(id));
  for (let at = 0; at < open.length; at++) {
    const id = open[at];
    if (id === undefined) break;
    const rank = longest.get(id) ?? 0;
    ranks.set(id, rank);
    for (const child of children.get(id) ?? []) {
      longest.set(child, Math.max(longest.get(child) ?? 0, rank + 1));
      const left = (waiting.get(child) ?? 0) - 1;
      waiting.set(child, left);
      if (left === 0) open.push(child);
    }
  }
  return ranks;
}

/** Counts the uses of clusters, so that the cost of a change does not depend on the number of routes. */
import type { ClusterUse } from "./compile-route.ts";
import type { CompiledHost } from "./compile-virtual-hosts.ts";
import type { RouteConfigName } from "./resource-names.ts";

type Hosts = ReadonlyMap<RouteConfigName, readonly CompiledHost[]>;

/** Returns the same table if the same clusters are used. */
export function createUseCounter(): (hosts: Hosts) => ReadonlyMap<string, ClusterUse> {
  const counts = new Map<string, { use: ClusterUse; count: number }>();
  let last: Hosts = new Map();
  let uses: ReadonlyMap<string, ClusterUse> = new Map();
  let isChanged = false;
  const add = ({ uses: added }: CompiledHost): void => {
    for (const use of added) {
      const known = counts.get(use.name);
      if (known !== undefined) known.count++;
      if (known?.use === use) continue;
      if (known?.use.backend !== use.backend) isChanged = true;
      if (known === undefined) counts.set(use.name, { use, count: 1 });
      else known.use = use;
    }
  };
  const remove = ({ uses: removed }: CompiledHost): void => {
    for (const { name } of removed) {
      const known = counts.get(name);
      if (known === undefined) continue;
      known.count--;
      if (known.count > 0) continue;
      counts.delete(name);
      isChanged = true;
    }
  };
  return (hosts) => {
    forEachChange(last, hosts, add, remove);
    last = hosts;
    if (isChanged) uses = new Map(Array.from(counts, ([name, { use }]) => [name, use]));
    isChanged = false;
    return uses;
  };
}

/** Adds before it removes, so that a cluster that is used before and after is not removed. */
function forEachChange(
  before: Hosts,
  now: Hosts,
  add: (host: CompiledHost) => void,
  remove: (host: CompiledHost) => void,
): void {
  const gone: CompiledHost[] = [];
  for (const [name, hosts] of now) {
    const old = before.get(name) ?? [];
    if (old === hosts) continue;
    for (let index = 0; index < Math.max(old.length, hosts.length); index++) {
      const [was, is] = [old[index], hosts[index]];
      if (was === is) continue;
      if (is !== undefined) add(is);
      if (was !== undefined) gone.push(was);
    }
  }
  for (const [name, old] of before) if (!now.has(name)) gone.push(...old);
  for (const host of gone) remove(host);
}

/** Counts the uses of clusters, so that the cost of a change does not depend on the number of routes. */
import { changedRange } from "../../core/model/collections/changed-range.ts";
import type { ClusterUse } from "./routes/compile-route.ts";

/** A virtual host, or the rules of a listener that is not HTTP. */
interface ClusterUser {
  readonly uses: readonly ClusterUse[];
}

/** By name. An unchanged list is the same object. */
type Users = ReadonlyMap<string, readonly ClusterUser[]>;

/** Returns the same table if the same clusters are used. */
export function createUseCounter(): (users: Users) => ReadonlyMap<string, ClusterUse> {
  const counts = new Map<string, { use: ClusterUse; count: number }>();
  let last: Users = new Map();
  let uses: ReadonlyMap<string, ClusterUse> = new Map();
  let isChanged = false;
  const add = ({ uses: added }: ClusterUser): void => {
    for (const use of added) {
      const known = counts.get(use.name);
      if (known !== undefined) known.count++;
      if (known?.use === use) continue;
      if (known?.use.backend !== use.backend) isChanged = true;
      if (known === undefined) counts.set(use.name, { use, count: 1 });
      else known.use = use;
    }
  };
  const remove = ({ uses: removed }: ClusterUser): void => {
    for (const { name } of removed) {
      const known = counts.get(name);
      if (known === undefined) continue;
      known.count--;
      if (known.count > 0) continue;
      counts.delete(name);
      isChanged = true;
    }
  };
  return (users) => {
    forEachChange(last, users, add, remove);
    last = users;
    if (isChanged) uses = new Map(Array.from(counts, ([name, { use }]) => [name, use]));
    isChanged = false;
    return uses;
  };
}

/** Adds before it removes, so that a cluster that is used before and after is not removed. */
function forEachChange(
  before: Users,
  now: Users,
  add: (user: ClusterUser) => void,
  remove: (user: ClusterUser) => void,
): void {
  const gone: ClusterUser[] = [];
  for (const [name, users] of now) {
    const old = before.get(name) ?? [];
    if (old === users) continue;
    const { start, ends } = changedRange(old, users);
    for (const user of users.slice(start, ends[1])) add(user);
    for (const user of old.slice(start, ends[0])) gone.push(user);
  }
  for (const [name, old] of before) if (!now.has(name)) gone.push(...old);
  for (const user of gone) remove(user);
}

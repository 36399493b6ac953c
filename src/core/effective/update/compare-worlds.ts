/** The difference between two worlds that share no rules. Everything is read, one effective target at a time. */
import { compareText, type KindId, kindId, type ObjectId } from "../../model/refs.ts";
import type { EffectivePath } from "../fold/for-each-effective.ts";
import { endObjects } from "../paths/end-objects.ts";
import { PathFinder } from "../paths/path-finder.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { World } from "../world/world.ts";
import { comparePaths } from "./compare-paths.ts";
import type { Delta, EffectiveChange } from "./delta.ts";
import { type CompleteWorlds, compareVerdicts, pathsTo } from "./update-world.ts";

export function compareWorlds(worlds: CompleteWorlds): Delta {
  const { before, after } = worlds;
  const effective: EffectiveChange[] = [];
  for (const id of policyKinds(worlds)) {
    const [old, now] = [sideOf(before, id), sideOf(after, id)];
    for (const end of [...new Set([...old.ends, ...now.ends])].sort(compareText)) {
      effective.push(...comparePaths(old.pathsTo(end), now.pathsTo(end)));
    }
  }
  const policies = new Set<Parameters<World["policies"]["get"]>[0]>();
  for (const { policies: table } of [before, after]) table.forEach((_, policy) => policies.add(policy));
  return { effective, verdicts: compareVerdicts(worlds, policies) };
}

/** The policy kinds of the new rules in their order, then the removed kinds. */
const policyKinds = ({ before, after }: CompleteWorlds): ReadonlySet<KindId> =>
  new Set([...after.rulebook.kinds, ...before.rulebook.kinds].map(({ policyKind }) => kindId(policyKind)));

interface Side {
  readonly ends: readonly ObjectId[];
  readonly pathsTo: (end: ObjectId) => readonly EffectivePath[];
}

function sideOf(world: World, policyKind: KindId): Side {
  const kind = world.rulebook.kinds.find((one) => kindId(one.policyKind) === policyKind);
  if (kind === undefined) return { ends: [], pathsTo: () => [] };
  const finder = new PathFinder(world, kind);
  return { ends: endsOf(world, kind), pathsTo: (end) => pathsTo(world, kind, finder, end) };
}

function endsOf(world: World, kind: CompiledKind): readonly ObjectId[] {
  return [...endObjects(world, kind)].map(({ id }) => id);
}

import type { Attachment } from "../../attachment/resolved-targets.ts";
import { compareText, type ObjectId, type PolicyId } from "../../model/refs.ts";
import { forEachPath } from "../paths/count-paths.ts";
import type { PolicyRecord, World } from "../world/world.ts";
import { TallyChanges } from "./tally.ts";
import type { AncestorVerdict } from "./verdict.ts";
import { ancestorVerdict } from "./verdict-of.ts";

/** What became of a policy on one object, or on one of its sections. */
export interface TargetVerdict extends AncestorVerdict {
  readonly sectionName: string | undefined;
}

/** Of a Direct kind, which does not flow: the verdicts on objects, target by target. Those that no path ends at are left out. */
export function targetVerdicts(
  world: World,
  id: PolicyId,
  record: PolicyRecord,
  ancestors: readonly AncestorVerdict[],
): readonly TargetVerdict[] {
  const sections = sectionsByObject(record.targets.attachments);
  return ancestors.flatMap((whole) => {
    const names = sections.get(whole.ancestor) ?? NO_NAMES;
    const [only] = names;
    return names.size < 2 ? [{ ...whole, sectionName: only }] : bySection(world, id, record, whole, names);
  });
}

/** The names of the sections that are targeted; undefined: the object itself. */
type Sections = ReadonlySet<string | undefined>;

const NO_NAMES: Sections = new Set();

function sectionsByObject(attachments: readonly Attachment[]): ReadonlyMap<ObjectId, Sections> {
  const sections = new Map<ObjectId, Set<string | undefined>>();
  for (const { object, sectionName } of attachments) {
    const names = sections.get(object) ?? new Set();
    sections.set(object, names.add(sectionName));
  }
  return sections;
}

function bySection(
  world: World,
  id: PolicyId,
  { kind }: PolicyRecord,
  { ancestor }: AncestorVerdict,
  names: Sections,
): readonly TargetVerdict[] {
  const changes = new Map<string | undefined, TallyChanges>();
  const visit: Parameters<typeof forEachPath>[2] = ({ node }, core) => {
    const end = node.section?.name;
    // A policy on the object covers the sections that have none of their own.
    const target = names.has(end) ? end : undefined;
    const own = changes.get(target) ?? new TallyChanges();
    changes.set(target, own);
    own.add(core, () => ancestor, { object: node, sections: [end] }, 1);
  };
  forEachPath(world, kind, visit, ancestor);
  const verdicts = [...changes].flatMap(([sectionName, own]): readonly TargetVerdict[] => {
    const counts = own.applyTo(id, undefined)?.get(ancestor);
    return counts === undefined ? [] : [{ ...ancestorVerdict(ancestor, counts), sectionName }];
  });
  // The object itself comes before its sections.
  return verdicts.sort((a, b) => compareText(a.sectionName ?? "", b.sectionName ?? ""));
}

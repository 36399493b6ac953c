import type { Attachment } from "../../attachment/resolved-targets.ts";
import { compareText, type ObjectId, type PolicyId } from "../../model/refs.ts";
import { forEachEffective } from "../fold/for-each-effective.ts";
import { coveringSection } from "../paths/covering-section.ts";
import type { PolicyRecord, World } from "../world/world.ts";
import { ancestorVerdict } from "./counted-verdict.ts";
import { countPaths, type TallyChanges, tallyOf } from "./tally-changes.ts";
import type { AncestorVerdict } from "./verdict.ts";

/** The verdict of a policy on one object, or on one of its sections. */
export interface TargetVerdict extends AncestorVerdict {
  readonly sectionName: string | undefined;
}

/** The verdicts of a Direct kind on objects, at each of these targets. Targets at which no path ends are left out. */
export function targetVerdicts(
  world: World,
  record: PolicyRecord,
  attachments: readonly Attachment[],
  ancestors: readonly AncestorVerdict[],
): readonly TargetVerdict[] {
  const sections = sectionsByObject(attachments);
  return ancestors.flatMap((whole) => {
    const names = sections.get(whole.ancestor) ?? NO_NAMES;
    const [only] = names;
    return names.size < 2 ? [{ ...whole, sectionName: only }] : bySection(world, record, whole, names);
  });
}

/** The names of the targeted sections. Undefined stands for the object itself. */
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
  { kind, object }: PolicyRecord,
  { ancestor }: AncestorVerdict,
  names: Sections,
): readonly TargetVerdict[] {
  const changes = new Map<string | undefined, TallyChanges>();
  const visit: Parameters<typeof forEachEffective>[2] = ({ node, incomplete }, effective) => {
    const end = node.section?.name;
    const target = coveringSection(end, (name) => names.has(name));
    const own: TallyChanges = changes.get(target) ?? new Map();
    changes.set(target, own);
    const counted = { last: node, sections: undefined, pathsToEach: 1, isIncomplete: incomplete };
    countPaths(own, effective, () => ancestor, counted);
  };
  forEachEffective(world, kind, visit, { only: [ancestor] });
  const verdicts = [...changes].flatMap(([sectionName, own]): readonly TargetVerdict[] => {
    const counts = tallyOf(own, ancestor, object.id as PolicyId);
    return counts === undefined ? [] : [{ ...ancestorVerdict(ancestor, counts), sectionName }];
  });
  // The object itself comes before its sections.
  return verdicts.sort((a, b) => compareText(a.sectionName ?? "", b.sectionName ?? ""));
}

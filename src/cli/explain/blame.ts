/** `--blame`: how and when the values that take effect were last written, and how old their policies are. */
import type { Explanation } from "../../core/explain/explain/result.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { type WrittenValue, writtenValueOf } from "../../core/model/managed-fields.ts";
import type { ObjectId } from "../../core/model/refs.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { Option } from "../args/option.ts";

export const blameOption: Option = {
  name: "blame",
  help: "with each value: the tool that last wrote it and when, as the cluster records it, and the age of the object",
};

/** The source, with what it knows about the last write of each value. */
export async function withBlame(source: LoadedSource, { kinds }: Explanation): Promise<LoadedSource> {
  const sources = kinds.flatMap(({ outcomes }) =>
    outcomes.flatMap((outcome) => [...outcome.sources, ...outcome.fields.flatMap((field) => field.sources)]),
  );
  const ids = [...new Set(sources.flatMap(({ policy, object }) => policy ?? object ?? []))];
  const whole = source.loadWhole === undefined ? ownObjects(source, ids) : await source.loadWhole(ids);
  return {
    ...source,
    writtenAt: ({ object, pointer }) => {
      const found = whole.get(object);
      return found === undefined ? undefined : writtenValueOf(found, pointer);
    },
  };
}

/** Files may have managed fields, too: kubectl get -o yaml --show-managed-fields writes them. */
const ownObjects = ({ world }: LoadedSource, ids: readonly ObjectId[]): ReadonlyMap<ObjectId, JsonObject> =>
  new Map(
    ids.flatMap((id) => {
      const raw = world.objects.get(id)?.raw;
      return raw === undefined ? [] : [[id, raw] as const];
    }),
  );

/** `last written with kubectl-edit, at the latest 2024-12-20 18:47 UTC; the policy is 3d old`. */
export function formatWritten({ manager, time, created }: WrittenValue, what: string, nowMs: number): string {
  const at = time === undefined ? "" : `, at the latest ${formatTime(time)}`;
  const written = manager === undefined ? "its last write is not recorded" : `last written with ${manager}${at}`;
  return created === undefined ? written : `${written}; ${what} is ${formatAge(nowMs - Date.parse(created))} old`;
}

const formatTime = (time: string): string => `${time.slice(0, 16).replace("T", " ")} UTC`;

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

/** `5d`, `3h`, `12m`, `40s`, as kubectl prints ages. */
function formatAge(ms: number): string {
  const unit = UNITS.find(([, length]) => ms >= 2 * length);
  return unit === undefined ? `${Math.max(0, Math.floor(ms / 1000))}s` : `${Math.floor(ms / unit[1])}${unit[0]}`;
}

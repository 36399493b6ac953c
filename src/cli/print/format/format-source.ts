import type { MappedField } from "../../../core/effective/fold/effective-policy.ts";
import type { PathNode } from "../../../core/effective/paths/path-node.ts";
import { mappedPointer, ownPointer, sourcePointer } from "../../../core/explain/value-pointer.ts";
import type { Source as ValueSource } from "../../../core/merge/provenance.ts";
import type { SourcePosition } from "../../../core/model/kube-object.ts";
import { formatRef, type GroupKind, parseObjectId } from "../../../core/model/refs.ts";
import { formatLine } from "../../../core/model/words/format-position.ts";
import type { LoadedSource } from "../../../sources/load-source.ts";
import type { Redaction } from "../../args/redaction.ts";
import { glued, type Piece, type Style, styled } from "../terminal/styled-text.ts";

/** An effective value of a path, with the data that is needed to format its source. */
export interface SourcedValue {
  readonly policyKind: GroupKind;
  readonly value: ValueSource;
  readonly path: readonly PathNode[];
  readonly field?: MappedField | undefined;
}

type Facts = Pick<LoadedSource, "world" | "locate">;

/** `RetryPolicy infra/friday-fix, overrides (policies.yaml:36)`, `HTTPRoute bakery/baker itself (routes.yaml:18)`. Empty: no value is set. */
export function formatSource(
  decided: SourcedValue,
  facts: Facts,
  { redaction, style }: { readonly redaction: Redaction; readonly style?: Style },
): readonly Piece[] {
  const { policy, block, object, computed } = decided.value;
  const named = (name: string): Piece => (style === undefined ? glued(name) : styled(glued(name), style));
  const at = positionOf(decided, facts);
  const suffix = at === undefined ? "" : styled(` (${formatLine(at)})`, "dim");
  if (policy !== null) {
    const name = named(redaction.name(policy));
    if (redaction.isHidden(policy)) return [name];
    if (computed) return ["the strategy of ", name];
    return [name, block === null || block === "bare" ? "" : `, ${block}`, suffix];
  }
  return object === undefined ? [] : [named(formatRef(parseObjectId(object))), " itself", suffix];
}

/** The position of the effective value. */
export function positionOf(
  { value, policyKind, path, field }: SourcedValue,
  { world, locate }: Facts,
): SourcePosition | undefined {
  const { policy, object, pointer } = value;
  if (policy === null && object !== undefined) {
    const location =
      field === undefined
        ? ownPointer(world, policyKind, object, pointer, path)
        : mappedPointer(world, policyKind, field, pointer);
    return location === undefined ? undefined : locate(location.object, location.pointer);
  }
  const location = sourcePointer(world, policyKind, value, path);
  return location === undefined ? undefined : locate(location.object, location.pointer);
}

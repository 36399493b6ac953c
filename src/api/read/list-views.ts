import { setImmediate as nextTurn } from "node:timers/promises";
import { labelsOf } from "../../core/model/kube-object.ts";
import { compareText } from "../../core/model/refs.ts";
import { viewedObjects } from "../../core/view/viewed-objects.ts";
import { type AnyView, buildView } from "./read-view.ts";
import type { ViewReader } from "./view-reader.ts";

export interface ViewPosition {
  readonly namespace: string;
  readonly name: string;
}

export interface ListViewsOptions {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly limit: number | undefined;
  readonly after: ViewPosition | undefined;
  readonly isSelected: (object: ViewPosition & { readonly labels: ReturnType<typeof labelsOf> }) => boolean;
  readonly signal: AbortSignal;
}

/** A list may take this long before other requests get their turn. */
const TURN_MS = 20;

/**
 * The views of a list, one after the other. `onMore` gets the position of the last one if there is another that the user may see. Others do not
 * count, so that the user learns nothing of them.
 */
export async function* listViews(
  reader: ViewReader,
  options: ListViewsOptions,
  onMore: (last: ViewPosition) => void,
): AsyncGenerator<AnyView> {
  const { limit, after, signal } = options;
  let count = 0;
  let last: ViewPosition | undefined;
  let turnBegan = performance.now();
  for (const viewed of viewedObjects(reader.context, reader.resource, { namespace: options.namespace })) {
    if (after !== undefined && comparePositions(viewed, after) <= 0) continue;
    const { namespace, name, object } = viewed;
    if (!options.isSelected({ namespace, name, labels: labelsOf(object) })) continue;
    if (performance.now() - turnBegan > TURN_MS) {
      await nextTurn();
      if (signal.aborted) return;
      turnBegan = performance.now();
    }
    const view = await buildView(reader, viewed, { withFailures: false });
    if (view === undefined) continue;
    if (count === limit && last !== undefined) return onMore(last);
    yield view;
    count++;
    last = { namespace, name };
  }
}

const comparePositions = (a: ViewPosition, b: ViewPosition): number =>
  compareText(a.namespace, b.namespace) || compareText(a.name, b.name);

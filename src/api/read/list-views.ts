import { setImmediate as nextTurn } from "node:timers/promises";
import { labelsOf } from "../../core/model/kube-object.ts";
import { compareText } from "../../core/model/refs.ts";
import { surveyEffective } from "../../core/view/effective-view.ts";
import { surveyMany } from "../../core/view/survey-many.ts";
import { type ViewedObject, viewedObjects } from "../../core/view/viewed-objects.ts";
import { type AnyView, buildEffective, buildReach } from "./read-view.ts";
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
  given: ViewReader,
  options: ListViewsOptions,
  onMore: (last: ViewPosition) => void,
): AsyncGenerator<AnyView> {
  const { limit, after } = options;
  // Counts belong to one object or policy: a list would add up thousands of counts for each.
  const reader: ViewReader = { ...given, context: { ...given.context, retries: undefined } };
  const turn = new Turn(options.signal);
  const candidates = viewedObjects(reader.context, reader.resource, { namespace: options.namespace })
    .filter((viewed) => after === undefined || comparePositions(viewed, after) > 0)
    .filter(({ namespace, name, object }) => options.isSelected({ namespace, name, labels: labelsOf(object) }));
  let count = 0;
  let last: ViewPosition | undefined;
  const size = limit === undefined ? MOST_AT_ONCE : Math.min(limit + 1, MOST_AT_ONCE);
  for (let at = 0; at < candidates.length; at += size) {
    for await (const view of buildViews(reader, candidates.slice(at, at + size), turn)) {
      if (count === limit && last !== undefined) return onMore(last);
      yield view;
      count++;
      last = { namespace: view.metadata.namespace ?? "", name: view.metadata.name };
    }
    if (options.signal.aborted) return;
  }
}

/** The largest number of objects that are surveyed in one walk over all paths. */
const MOST_AT_ONCE = 2000;
/** Fewer objects are surveyed one by one. */
const FEWEST_TOGETHER = 8;

async function* buildViews(reader: ViewReader, viewed: readonly ViewedObject[], turn: Turn): AsyncGenerator<AnyView> {
  const isTogether = reader.resource.about === "Targets" && viewed.length >= FEWEST_TOGETHER;
  const surveys = isTogether ? await inTurns(surveyMany(reader.context, viewed), turn) : undefined;
  for (const one of viewed) {
    if (await turn.isOver()) return;
    const view =
      reader.resource.about === "Policies"
        ? await buildReach(reader, one)
        : await buildEffective(
            reader,
            surveys === undefined ? surveyEffective(reader.context, one, { withFailures: false }) : surveys.get(one),
          );
    if (view !== undefined) yield view;
  }
}

/** Runs a computation step by step, and gives other requests their turn. */
async function inTurns<T>(steps: Generator<undefined, T>, turn: Turn): Promise<T | undefined> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (await turn.isOver()) return undefined;
  }
}

class Turn {
  readonly #signal: AbortSignal;
  #began = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Lets others run if this turn has been long. True if the client has gone. */
  async isOver(): Promise<boolean> {
    if (performance.now() - this.#began > TURN_MS) {
      await nextTurn();
      this.#began = performance.now();
    }
    return this.#signal.aborted;
  }
}

const comparePositions = (a: ViewPosition, b: ViewPosition): number =>
  compareText(a.namespace, b.namespace) || compareText(a.name, b.name);

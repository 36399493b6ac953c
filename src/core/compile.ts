/** The configuration of each Gateway, for an evaluation and for the one after a change. Pure. */
import { type Applied, touchedOf } from "./apply.ts";
import type { EndpointOptions } from "./dataplane/compile/endpoints-of.ts";
import { compileDataplane as compileWorld } from "./dataplane/compile-dataplane.ts";
import type { Dataplane } from "./dataplane/dataplane.ts";
import type { UpdatedDataplane } from "./dataplane/update/advance-dataplane.ts";
import { updateDataplane as updateFromWorld } from "./dataplane/update-dataplane.ts";
import { type Evaluation, worldOf } from "./evaluation.ts";

/**
 * Compiles what each Gateway must do, as plain data.
 *
 * @example
 * ```ts
 * const { gateways, problems } = compileDataplane(evaluation, { endpointAnnotations: "Ignored" });
 * console.log(gateways.map(({ gateway }) => gateway.name), problems.length);
 * ```
 */
export const compileDataplane = (evaluation: Evaluation, options: EndpointOptions): Dataplane =>
  compileWorld(worldOf(evaluation), options);

/**
 * Compiles the configuration after a change. `dataplane` belongs to the evaluation that `apply` was given. A part that did not
 * change is the same object as before.
 *
 * @example
 * ```ts
 * const before = compileDataplane(evaluation, { endpointAnnotations: "Ignored" });
 * const applied = apply(evaluation, [{ delete: fridayFix }]);
 * const { dataplane, delta } = updateDataplane(before, applied);
 * console.log(dataplane.gateways.length, delta.gateways);
 * ```
 */
export const updateDataplane = (dataplane: Dataplane, applied: Applied): UpdatedDataplane =>
  updateFromWorld(dataplane, worldOf(applied.evaluation), { delta: applied.delta, touched: touchedOf(applied) });

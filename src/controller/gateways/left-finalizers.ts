/** Finalizers of GatewayClasses that the controller has set in the mode gateway, and does not remove because it runs in another mode. */
import { controllerOf } from "../../core/effective/world/gateway-controllers.ts";
import type { World } from "../../core/effective/world/world.ts";
import { GATEWAY_EXISTS_FINALIZER, withFinalizer } from "../../core/gateway-status/class-finalizer.ts";
import { GATEWAY_API } from "../../core/model/kinds.ts";
import { kindId } from "../../core/model/refs.ts";

export interface LeftFinalizersOptions {
  readonly controllerName: string;
  readonly note: (message: string) => void;
}

const GATEWAY_CLASS = kindId({ group: GATEWAY_API, kind: "GatewayClass" });

export class LeftFinalizers {
  readonly #options: LeftFinalizersOptions;
  #noted: ReadonlySet<string> = new Set();

  constructor(options: LeftFinalizersOptions) {
    this.#options = options;
  }

  /** Prints a line for each class that has one, once until it is removed. */
  use(world: World): void {
    const { controllerName, note } = this.#options;
    const names = world.objects
      .ofKind(GATEWAY_CLASS)
      .filter(({ raw }) => controllerOf(raw) === controllerName && withFinalizer(raw, { isUsed: false }) !== undefined)
      .map(({ name }) => name);
    for (const name of names)
      if (!this.#noted.has(name))
        note(
          `GatewayClass ${name} has the finalizer ${GATEWAY_EXISTS_FINALIZER}, which only the mode gateway removes, and this controller does not run in it: until the finalizer is removed by hand, the class cannot be deleted (docs/install.md, 'From gateway to another mode')`,
        );
    this.#noted = new Set(names);
  }
}

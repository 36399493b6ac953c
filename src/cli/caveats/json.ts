import type { Caveat } from "../../core/caveats/caveat.ts";
import { openRef } from "../print/data/effective-json.ts";

/** The field `caveats` of every JSON and YAML output. */
export const caveatsJson = (caveats: readonly Caveat[]): readonly object[] =>
  caveats.map(({ code, severity, message, objects, policies, fix }) => ({
    code,
    severity,
    message,
    objects: objects.map(({ object, field, source }) => ({
      ...(object === undefined ? {} : { object: openRef(object) }),
      ...(field === undefined ? {} : { field }),
      ...(source === undefined ? {} : { at: source }),
    })),
    policies,
    fix,
  }));

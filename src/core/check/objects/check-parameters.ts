/** Findings about GatewayParameters themselves, whether a Gateway refers to them or not. */
import type { World } from "../../effective/world/world.ts";
import { GATEWAY_PARAMETERS } from "../../infrastructure/gateway-parameters.ts";
import { PARAMETER_FIELDS, parameterErrors } from "../../infrastructure/parse-gateway-parameters.ts";
import { objectAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { kindId } from "../../model/refs.ts";
import { nearMiss } from "../../model/words/near-miss.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";

export const checkParameters = ({ objects }: World): readonly CheckFinding[] =>
  objects.ofKind(kindId(GATEWAY_PARAMETERS)).flatMap((object) => [...invalidFields(object), ...unknownFields(object)]);

const invalidFields = (object: KubeObject): readonly CheckFinding[] =>
  parameterErrors(objectAt(object.raw, "spec")).map((error) =>
    findingAt(object, {
      code: "InvalidParameters",
      severity: "error",
      ...error,
      fix: "Correct the value: a Gateway or GatewayClass with these parameters is not accepted.",
    }),
  );

function unknownFields(object: KubeObject): readonly CheckFinding[] {
  const spec = objectAt(object.raw, "spec");
  return [...PARAMETER_FIELDS].flatMap(([part, known]) =>
    Object.keys(part === "" ? spec : objectAt(spec, part))
      .filter((key) => !known.includes(key))
      .map((key) => {
        const field = ["spec", ...(part === "" ? [] : [part]), key].join(".");
        const near = nearMiss(key, known);
        const hint = near === undefined ? `known fields: ${known.join(", ")}` : `did you mean '${near}'?`;
        return findingAt(object, {
          code: "UnknownSetting",
          severity: "warning",
          field,
          message: `${field} is not a field of ${GATEWAY_PARAMETERS.kind} and has no effect; ${hint}`,
          fix: "Correct the name, or delete the field.",
        });
      }),
  );
}

import { expect, test } from "vitest";
import { envoysElsewhere } from "./envoys-elsewhere.ts";
import { type HeardReport, parseReplicaReport } from "./replica-report.ts";

const DOOR = "infra/door";
/** The report of a replica with an Envoy of each of these Gateways. */
const heard = (gateways: readonly string[], leftOut?: number): HeardReport =>
  parseReplicaReport({
    metadata: {
      annotations: {
        "prevail.dev/acknowledged": JSON.stringify(Object.fromEntries(gateways.map((one) => [one, "e1"]))),
        ...(leftOut === undefined ? {} : { "prevail.dev/left-out": String(leftOut) }),
      },
    },
  });

test.each([
  ["one replica", true, [], undefined],
  ["another replica without Envoys of the Gateway", true, [heard(["infra/other"])], undefined],
  ["another replica with one", true, [heard([]), heard([DOOR])], "connected to another replica"],
  ["another replica that cannot report all", true, [heard([], 7)], "it is not known"],
  ["a replica that does not lead, and does not hear of the Envoys of the one that does", false, [], "that leads"],
] as const)("%s", (_, leads, others, expected) => {
  const reason = envoysElsewhere(DOOR, { leads, others });
  if (expected === undefined) expect(reason).toBeUndefined();
  else expect(reason).toContain(expected);
});

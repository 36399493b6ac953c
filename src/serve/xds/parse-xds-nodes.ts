import type { XdsNode } from "../../cli/xds/xds-tools.ts";
import { isJsonList, isJsonObject, type Json, textOf } from "../../core/model/json.ts";

/** Parses the response of a status server. Undefined if it is not from `prevail xds serve`. */
export function parseXdsNodes(response: unknown): readonly XdsNode[] | undefined {
  const value = response as Json;
  if (!isJsonObject(value) || !isJsonList(value["nodes"])) return undefined;
  return value["nodes"].filter(isJsonObject).map(({ node, gateway, isSettled, waitingFor, refusals }) => ({
    node: textOf(node),
    gateway: textOf(gateway),
    isSettled: isSettled === true,
    waitingFor: isJsonList(waitingFor) ? waitingFor.map(textOf) : [],
    refusals: (isJsonList(refusals) ? refusals.filter(isJsonObject) : []).map(({ type, name, reason }) => ({
      type: textOf(type),
      name: textOf(name),
      reason: textOf(reason),
    })),
  }));
}

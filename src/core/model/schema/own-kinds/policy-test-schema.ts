/** The schema of PolicyTests. Parsing checks them by it; their CRD and docs/schemas/policy-test.json are generated from it. */

import type { Schema } from "../schema.ts";
import {
  choice,
  flag,
  formatted,
  list,
  map,
  name,
  nonEmptyList,
  object,
  optional,
  required,
  text,
} from "./own-kind-schema.ts";

/** The ways in which an attempt can end without a response. */
export const FAILED_ATTEMPTS = ["unreachable", "refused", "reset", "timeout"] as const;

const MAX_CASES = 1000;

const port: Schema = { type: "integer", minimum: 1, maximum: 65_535 };
const status: Schema = { type: "integer", minimum: 100, maximum: 599 };
const count: Schema = { type: "integer", minimum: 0 };
const anything: Schema = { "x-kubernetes-preserve-unknown-fields": true };
const objectName: Schema = { ...formatted("KIND/NAME or KIND/NAMESPACE/NAME"), minLength: 1 };
const gatewayName: Schema = { ...formatted("NAME or NAMESPACE/NAME"), minLength: 1 };

const request = object({
  method: optional(name, "GET", "The method."),
  scheme: optional(choice(["http", "https"]), "http", "The scheme."),
  host: required(
    name,
    "The host; with `from` that of a Service: NAME, NAME.NAMESPACE or NAME.NAMESPACE.svc.cluster.local.",
  ),
  port: optional(port, "80, or 443 for https", "The port of the listener; with `from` that of the Service."),
  path: optional(
    { ...formatted("a path that begins with /, maybe with a query"), pattern: "^/" },
    "/",
    "The path, and the query after a `?`.",
  ),
  headers: optional(map(text), "none", "Headers, by name."),
  bodyBytes: optional(count, "0", "The size of the body. A long body is not kept, so it cannot be sent again."),
  gateway: optional(gatewayName, "every Gateway that listens", "Only this Gateway."),
  from: optional(name, "through a Gateway", "Mesh: the namespace that the request comes from."),
});

const setting = object({
  value: optional(anything, "any value", "The value that takes effect."),
  absent: optional(flag, "false", "True: nothing is set."),
  from: optional(
    objectName,
    "anything",
    "The policy that the value comes from, or the object if the value is its own.",
  ),
  block: optional(choice(["defaults", "overrides", "bare"]), "any", "The block of the policy."),
  backend: optional(name, "all", "Only on paths to this backend."),
});

const expectation = object({
  gateway: optional(gatewayName, "any", "The Gateway that takes the request."),
  listener: optional(name, "any", "The listener that accepts it; `none` if none does."),
  route: optional(
    { ...formatted("KIND/NAME, KIND/NAMESPACE/NAME or none"), minLength: 1 },
    "any",
    "The route that carries it; `none` if none does.",
  ),
  rule: optional(name, "any", "The rule of the route; `rule-2` is the second one, if it has no name."),
  backends: optional(
    nonEmptyList(formatted("NAME or NAMESPACE/NAME, maybe with :PORT")),
    "any",
    "The backends that the request can be sent to, in any order.",
  ),
  status: optional(status, "any", "The status that the client gets."),
  attempts: optional(
    count,
    "any",
    "How often the request is sent to a backend, by the schedule of its retries. Needs `responses`.",
  ),
  settings: optional(
    map(map(setting)),
    "any",
    "For each policy kind, settings as `explain` prints them: `retry.attempts`.",
  ),
});

const response: Schema = {
  "x-kubernetes-int-or-string": true,
  "x-prevail-words": [...FAILED_ATTEMPTS],
};

const testCase = object({
  name: required(name, "What the case is about. Unique in its test."),
  request: required(request, "The request."),
  responses: optional(
    nonEmptyList(response),
    "[200]",
    `How each attempt ends: a status, or ${FAILED_ATTEMPTS.join(", ")}. The last one is repeated.`,
  ),
  expect: required({ ...expectation, minProperties: 1 }, "What must happen. All of it is checked."),
});

/** `spec` of a PolicyTest. */
export const policyTestSchema: Schema = object({
  cases: required({ ...list(testCase), minItems: 1, maxItems: MAX_CASES }, "The cases, each on its own."),
});

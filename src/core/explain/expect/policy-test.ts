/** PolicyTests: requests and expected outcomes, and the results of comparing them. Plain data. */
import type { Json } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import type { BlockName } from "../../model/policy.ts";
import type { GroupKind, ObjectId, ObjectRef } from "../../model/refs.ts";
import type { AttemptOutcome } from "../../retry/retry-schedule.ts";
import type { PathOutcome } from "../explain/result.ts";
import type { GatewayTrace, MeshTrace, TraceRequest } from "../trace/result.ts";

export interface PolicyTest {
  readonly object: KubeObject;
  readonly cases: readonly TestCase[];
}

export interface TestCase {
  readonly name: string;
  /** The field of the case, for positions: `spec.cases[0]`. */
  readonly field: string;
  readonly request: TraceRequest;
  readonly bodyBytes: number;
  /** Only this Gateway. */
  readonly gateway: ObjectName | undefined;
  /** Mesh: the namespace that the request comes from. */
  readonly from: string | undefined;
  /** How each attempt ends. The last one is repeated. */
  readonly outcomes: readonly AttemptOutcome[];
  readonly expected: Expectation;
}

/** An object as a test names it. Kinds are those that the word can mean. */
export interface ObjectName {
  readonly text: string;
  readonly kinds: readonly GroupKind[];
  /** Undefined: any. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** The expected outcome of a case. Undefined members are not checked. */
export interface Expectation {
  readonly gateway: ObjectName | undefined;
  readonly listener: string | undefined;
  readonly route: ObjectName | "none" | undefined;
  readonly rule: string | undefined;
  readonly backends: readonly BackendText[] | undefined;
  readonly status: number | undefined;
  readonly attempts: number | undefined;
  readonly settings: readonly ExpectedSetting[];
}

/** `NAME`, `NAMESPACE/NAME`, both maybe with `:PORT`. */
export interface BackendText {
  readonly text: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly port: number | undefined;
}

export interface ExpectedSetting {
  /** The field of the test, for positions. */
  readonly field: string;
  readonly policyKind: GroupKind;
  /** The setting as the test names it, such as `retry.attempts`. */
  readonly name: string;
  readonly pointer: string;
  /** False if nothing says whether the policy kind has the setting. */
  readonly isKnown: boolean;
  /** `Any`: only the source is checked. */
  readonly value: { readonly is: "Any" | "Absent" } | { readonly is: "Equal"; readonly value: Json };
  readonly from: ObjectName | undefined;
  readonly block: BlockName | undefined;
  readonly backend: string | undefined;
}

/** A mistake in a test, which is then not run. */
export interface TestMistake {
  readonly field: string;
  readonly message: string;
}

/** The outcome of the request of a case: at each Gateway that listens, or in the mesh. Empty: see `problem`. */
export interface CaseResult {
  readonly testCase: TestCase;
  /** Why the request cannot be traced, such as a Gateway that does not exist. */
  readonly problem: string | undefined;
  readonly ways: readonly WayResult[];
  /** Facts that could change the outcome and are not part of it, such as a retry budget. */
  readonly notes: readonly string[];
  /** The objects that caveats may be about. */
  readonly asked: readonly ObjectId[];
}

/** The trace through one Gateway or the mesh, and what was expected of it. */
export interface WayResult {
  readonly trace: GatewayTrace | MeshTrace;
  readonly checks: readonly ExpectationCheck[];
}

/** One expectation, and what was found. */
export interface ExpectationCheck {
  /** The field of the test, for positions. */
  readonly field: string;
  /** The subject of the comparison: `route`, `attempts`, `RetryPolicy retry.attempts`. */
  readonly what: string;
  readonly expected: Json;
  /** Null: nothing. */
  readonly actual: Json;
  readonly isMet: boolean;
  /** The reason for the outcome: the routing of the request, or effective policies. */
  readonly reason: CheckReason;
}

export type CheckReason =
  | { readonly about: "Routing" }
  | {
      readonly about: "Settings";
      readonly policyKind: GroupKind;
      /** The pointers that matter. */
      readonly pointers: readonly string[];
      readonly outcomes: readonly PathOutcome[];
    };

export const isMet = ({ problem, ways }: CaseResult): boolean =>
  problem === undefined && ways.length > 0 && ways.every(({ checks }) => checks.every((check) => check.isMet));

/** True if the object has the name. */
export const isNamed = ({ kinds, namespace, name }: ObjectName, ref: ObjectRef): boolean =>
  ref.name === name &&
  (namespace === undefined || ref.namespace === namespace) &&
  kinds.some(({ group, kind }) => ref.kind === kind && ref.group === group);

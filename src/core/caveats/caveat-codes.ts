/** Every code of a caveat. Codes are stable. A new code needs a row here and a section in `docs/caveats.md`; a test checks both. */

/** `broken`: the input has a mistake, and the answer is worth little until it is fixed. `partial`: the answer is right as far as it goes. */
export type CaveatSeverity = "broken" | "partial";

/** The code of a caveat. `docs/caveats.md` has a section for each. */
export type CaveatCode =
  | "BrokenDefinition"
  | "UnreadableInput"
  | "UnreadableResource"
  | "UnrenderedTemplate"
  | "LfsPointer"
  | "NotInCommit"
  | "RefusedObject"
  | "InvalidPolicy"
  | "UnreplacedPlaceholder"
  | "RuleNotEvaluated"
  | "UnknownPolicyKind"
  | "InferredDefinition"
  | "ApproximateDefinition"
  | "UndefinedConflict"
  | "AbsentParent"
  | "AbsentBackend"
  | "AbsentTarget"
  | "AbsentReference"
  | "ImplementationSpecificKind"
  | "NoKnownPath"
  | "UnknownController"
  | "NotCarriedOut"
  | "CountersNotRead"
  | "StatusNotKept";

export interface CaveatCodeFacts {
  readonly severity: CaveatSeverity;
  /** The fix, if the objects come from files. */
  readonly fix: string;
  /** The fix if the objects come from a cluster, where it is another one. */
  readonly fixInCluster?: string;
  /**
   * `true`: it may name or count policies, which a user may not be allowed to read. The others are about objects that the target itself
   * names, and about the input as a whole.
   */
  readonly mayNamePolicies?: boolean;
  /** `true`: it is about what a definition can say, not about the input. */
  readonly isAboutDefinition?: boolean;
}

const ADD_FILES = "Add their files with -f. If the files are everything there is, say so with --complete.";
const ASK_FOR_RIGHTS = "Ask for the right to read them. To see your rights: kubectl auth can-i --list.";

/** In the order in which caveats are shown. */
export const caveatCodes: Readonly<Record<CaveatCode, CaveatCodeFacts>> = {
  UnreadableInput: { mayNamePolicies: true, severity: "broken", fix: "Correct the file, or leave it out." },
  UnreadableResource: {
    severity: "partial",
    fix: "Ask for the right to list them. To see your rights: kubectl auth can-i --list.",
  },
  UnrenderedTemplate: { severity: "partial", fix: "Render them, and read the output with -f -." },
  LfsPointer: { severity: "partial", fix: "Fetch their content with git lfs pull." },
  NotInCommit: {
    severity: "partial",
    fix: "Compare them with --against, from a checkout of the commit that has them.",
  },
  BrokenDefinition: {
    mayNamePolicies: true,
    severity: "broken",
    fix: "Correct the definition; 'prevail check' lists all its errors.",
  },
  RefusedObject: {
    mayNamePolicies: true,
    severity: "broken",
    fix: "Correct the field; 'prevail check' lists them all.",
  },
  InvalidPolicy: {
    mayNamePolicies: true,
    severity: "broken",
    fix: "Correct the field; 'prevail check' lists them all.",
  },
  UnreplacedPlaceholder: {
    mayNamePolicies: true,
    severity: "partial",
    fix: "Replace them first, such as with envsubst or kustomize build, and read the output with -f -.",
  },
  RuleNotEvaluated: {
    mayNamePolicies: true,
    severity: "partial",
    fix: "Apply the objects with --dry-run=server to have the API server evaluate the rules.",
  },
  UnknownPolicyKind: {
    mayNamePolicies: true,
    severity: "partial",
    fix: "Add a PolicyDefinition, or the CRD with the label gateway.networking.k8s.io/policy.",
  },
  InferredDefinition: {
    mayNamePolicies: true,
    severity: "partial",
    fix: "Add a PolicyDefinition to say what the kind means.",
  },
  ApproximateDefinition: {
    mayNamePolicies: true,
    isAboutDefinition: true,
    severity: "partial",
    fix: "Compare with the status that the implementation writes. docs/vendors.md has what is exact.",
  },
  UndefinedConflict: {
    mayNamePolicies: true,
    severity: "partial",
    fix: "Keep one policy on each target.",
  },
  AbsentParent: { severity: "partial", fix: ADD_FILES, fixInCluster: ASK_FOR_RIGHTS },
  AbsentBackend: { severity: "partial", fix: ADD_FILES, fixInCluster: ASK_FOR_RIGHTS },
  AbsentTarget: { mayNamePolicies: true, severity: "partial", fix: ADD_FILES, fixInCluster: ASK_FOR_RIGHTS },
  AbsentReference: { mayNamePolicies: true, severity: "partial", fix: ADD_FILES, fixInCluster: ASK_FOR_RIGHTS },
  ImplementationSpecificKind: {
    mayNamePolicies: true,
    severity: "partial",
    fix: "See the documentation of the implementation, or add a PolicyDefinition that has the kind in its hierarchy.",
  },
  NoKnownPath: {
    severity: "partial",
    fix: "Add the files of the routes with -f. If the files are everything there is, say so with --complete.",
    fixInCluster: ASK_FOR_RIGHTS,
  },
  UnknownController: { severity: "partial", fix: "Add the GatewayClass with -f.", fixInCluster: ASK_FOR_RIGHTS },
  NotCarriedOut: {
    mayNamePolicies: true,
    severity: "partial",
    fix: "Have them carried out by another gateway or controller, or do not rely on them here.",
  },
  CountersNotRead: {
    severity: "partial",
    fix: "Give --gateway-admin the admin port of a gateway that runs ('prevail run' prints it).",
  },
  StatusNotKept: {
    severity: "partial",
    fix: "Rely on this answer, not on the status. Have the other writer leave the conditions of others alone.",
  },
};

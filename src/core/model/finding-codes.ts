/**
 * Every code that a finding can have: the one table behind `check`, its machine formats and `docs/findings.md`. Codes are
 * stable: people filter on them. A new one needs a row here and a section there; tests see to both.
 */
import type { Severity } from "./finding.ts";
import type { FindingCode } from "./finding-code.ts";

export interface FindingCodeFacts {
  /** As it usually is; a finding may say otherwise (`DuplicateObject` of equal documents, a CoverageRule of its own severity). */
  readonly severity: Severity;
  /** What is the matter, in one sentence. */
  readonly title: string;
  /** What to do about it, where the message itself does not say. */
  readonly fix?: string;
}

const error = (title: string, fix?: string): FindingCodeFacts => row("error", title, fix);
const warning = (title: string, fix?: string): FindingCodeFacts => row("warning", title, fix);
const info = (title: string, fix?: string): FindingCodeFacts => row("info", title, fix);

const row = (severity: Severity, title: string, fix: string | undefined): FindingCodeFacts =>
  fix === undefined ? { severity, title } : { severity, title, fix };

/** In the order of `docs/findings.md`. */
export const findingCodes: Readonly<Record<FindingCode, FindingCodeFacts>> = {
  // In files, before anyone asks what the objects mean.
  YamlSyntax: error("The document is neither YAML nor JSON."),
  DuplicateKey: error("One mapping has the same key twice."),
  BadKey: error("A key is something that JSON cannot carry."),
  BadTag: error("An explicit tag does not fit its value."),
  BadAlias: error("An alias points to nothing, or to something that contains it."),
  BadMerge: error("A merge key (<<) merges something that is no mapping."),
  NotFinite: error("A number is not finite; JSON has no such number."),
  NotAnObject: error("A document is no Kubernetes object."),
  TooDeep: error("A document is nested too deeply to be read."),
  TooManyAliases: error("A document uses aliases so that its data multiplies."),
  TooLarge: error("A document or a file is too large to be read."),
  NotUtf8: error("A file is not in UTF-8."),
  PathNotFound: error("A path given with -f does not exist.", "Correct the path."),
  PathUnreadable: error("A path exists and cannot be read.", "Allow reading it, or leave it out."),
  UnsafeInteger: warning("An integer is too large to be kept exactly."),
  SurprisingYaml: warning("A value is read otherwise than it looks."),
  EmptyDirectory: warning("A directory has no file that would be read.", "Correct the path given with -f."),
  MoreFindings: warning("A document has more findings than are shown."),
  // In objects of any kind.
  InvalidField: error("A field holds what the API server would refuse."),
  MissingField: error("A field that the API server requires is missing."),
  DuplicateObject: error("One object is there twice."),
  DuplicateSectionName: warning("Sections of one object share a name.", "Give each a name of its own."),
  ImpliedObject: info("An object is named, and no document defines it.", "Add its file with -f to know its labels."),
  UnknownKind: warning(
    "An object is of a kind that its API group does not have.",
    "Correct the kind or the apiVersion; if there is such a kind, add its CRD with -f.",
  ),
  UnknownPolicyKind: warning("A policy is of a kind that nothing describes."),
  // In the links between objects.
  ParentNotFound: warning(
    "A route or listener set names a parent that is not there.",
    "Correct the name, or add the parent's file with -f.",
  ),
  BackendNotFound: error("A route names a backend that is not there.", "Correct the name, or add the backend."),
  NoMatchingParent: error(
    "No listener of the parent has that section name or port.",
    "Name a listener that the parent has, or leave out sectionName and port.",
  ),
  NotAllowedByListeners: error(
    "No listener of the parent takes this route.",
    "Attach the route to another listener, or widen the listener's allowedRoutes.",
  ),
  NoMatchingListenerHostname: error(
    "The host names of the route and of the listener have nothing in common.",
    "Give the route a host name that the listener serves.",
  ),
  NotAllowed: error(
    "The Gateway does not take this listener set.",
    "Widen the Gateway's allowedListeners, or move the listener set.",
  ),
  RefNotPermitted: error(
    "A reference into another namespace is not permitted.",
    "Add a ReferenceGrant to the namespace that is referred to.",
  ),
  InvalidKind: error("A reference names a kind that cannot stand there.", "Refer to a kind that can."),
  InvalidRef: error("A reference cannot be read."),
  SelfReference: error("An object names itself as its parent.", "Name another parent."),
  LinkCycle: error("Objects hang below each other in a circle."),
  LinkLimit: error("Objects are nested, or linked, beyond all measure."),
  // In policies, each on its own.
  InvalidSpec: error("The spec of a policy is no object.", "Write the spec as a mapping."),
  InvalidTooDeep: error("The spec of a policy is nested too deeply.", "Flatten it."),
  InvalidTooLarge: error("The spec of a policy is too large.", "Split the policy."),
  InvalidBlock: error("A block of a policy cannot be read."),
  InvalidStrategy: error("A policy names a merge strategy that its kind does not have."),
  InvalidTarget: error("A policy names a target in a way that cannot be read."),
  InvalidSelector: error("A policy selects targets in a way that cannot be read, or that its kind does not have."),
  InvalidForTarget: error("A policy has a setting that makes no sense with one of its targets."),
  UnreadableTimestamp: warning("The creation time of a policy cannot be read."),
  InferredDefinition: info("What a policy means is a guess from the label of its CRD."),
  BareRulesBesideDefaults: warning("Rules outside the blocks of a policy lose to its own defaults."),
  ConditionError: error(
    "The condition of a block (when) cannot be evaluated.",
    "Correct the expression; has(…) asks for a field that may be missing.",
  ),
  UnknownSetting: warning("A policy of a built-in kind has a setting that nobody reads."),
  // In what policies target.
  TargetNotFound: error("The target of a policy does not exist.", "Correct the name, or add the target."),
  SectionNotFound: error("The target has no such section.", "Name a listener, rule or port that the target has."),
  SectionNotAllowed: error("A policy of this kind cannot target such a section."),
  KindNotAllowed: error("A policy of this kind cannot target such an object."),
  ScopeNotAllowed: error("The target is out of the policy's scope.", "Use the cluster-scoped kind of the policy."),
  NamespaceMissing: error("A cluster-scoped policy does not say in which namespace its target is."),
  CrossNamespaceForbidden: error("A policy targets an object in another namespace."),
  ReferenceNotPermitted: error(
    "No ReferenceGrant permits the policy to target an object in another namespace.",
    "Add a ReferenceGrant to the target's namespace, or move the policy there.",
  ),
  SelectorMatchesNothing: error(
    "The label selector of a policy matches nothing.",
    "Correct the labels, here or on the objects that are meant.",
  ),
  Conflicted: warning(
    "The target already has a policy of a kind of which it takes only one.",
    "Delete one of the two, or aim one of them at something else.",
  ),
  // In what policy kinds mean.
  DefinitionWrongType: error("A field of a PolicyDefinition has a value of the wrong type."),
  DefinitionUnknownField: error("A PolicyDefinition has a field that there is not."),
  DefinitionUnknownValue: error("A field of a PolicyDefinition has a value that is not allowed."),
  DefinitionMissingField: error("A PolicyDefinition lacks a field."),
  DefinitionMisplaced: error("A field of a PolicyDefinition does not go with another."),
  DefinitionDuplicate: error("A PolicyDefinition names something twice."),
  DefinitionClash: error("Two PolicyDefinitions define one policy kind.", "Keep one of them."),
  CrdClash: error("Two CustomResourceDefinitions describe one kind."),
  DefinitionDirectSeveralKinds: warning("A Direct policy kind may target several kinds."),
  DefinitionDirectMerges: error("A Direct policy kind merges."),
  DefinitionDirectSpans: error("A Direct policy kind has an effective target that it cannot target."),
  DefinitionTargetBelowEffective: error("A policy kind may target what lies below its effective targets."),
  DefinitionNamespaceReachesNothing: error("A policy kind may target Namespaces that are above nothing."),
  DefinitionOutsideHierarchy: error("A policy kind uses kinds that its paths cannot pass."),
  DefinitionMappingOffPath: error("A policy kind maps onto a field of objects that no path passes."),
  DefinitionNoRules: error("A policy kind merges by named rules and does not say where they are."),
  DefinitionNoAnnotation: error("A policy kind lets an annotation decide and does not say which."),
  DefinitionUnusedField: warning("A field of a PolicyDefinition has no effect."),
  DefinitionInferred: info("A policy kind is defined by nothing but the label of its CRD."),
  DefinitionNotInferred: warning("The label of a CRD marks a policy kind and does not say enough."),
  UnknownStrategy: error(
    "A PolicyDefinition uses a custom strategy that is not registered.",
    "Use one of the built-in granularities here; custom strategies are for programs that use the library.",
  ),
  // In what prevails in the end.
  NeverPrevails: warning("A policy is accepted, and nothing of it prevails anywhere."),
  ValuesNeverPrevail: info("Some values of a policy prevail nowhere."),
  ReachesNothing: warning("A policy is accepted, and there is nothing for it to act on."),
  OverrideMeetsNothing: info("Nobody says anything that the overrides of a policy would override."),
  RuleNameCollision: warning("Rules of two policies have the same name, so one takes the other's place."),
  RemovesNothing: warning("A policy removes something that nobody above it sets."),
  ConditionNeverHolds: info("The condition of a block (when) holds nowhere."),
  ConditionReadsMissingKey: warning("The condition of a block (when) asks for something that is nowhere."),
  NamespaceSelectorMatchesNothing: warning("A Gateway lets in namespaces by labels that no namespace has."),
  StatusDiffers: warning("The status in the file says otherwise than what follows from the files."),
  AncestorsLeftOut: warning("A policy has more ancestors than its status has room for."),
  // In retries and timeouts.
  RetriesExceedTimeout: warning("Retries are so far apart that the request times out before the last of them."),
  RetriesMayNotFit: info("If tries are slow to fail, the request times out before the last retry."),
  TryOutlivesRequest: warning("One try may take longer than the whole request."),
  BackoffAboveMaximum: warning("The wait before a retry is longer than the longest wait allowed."),
  CodeNotRetried: warning("A status code is to be retried that no gateway retries.", "List codes from 400 to 599."),
  // In what a gateway would do, with `--dataplane`.
  NotServed: error("A gateway cannot do what an object asks for."),
  EnvoyRefusesMatch: error("Envoy would refuse a match, so it matches nothing.", "Correct the name or the pattern."),
  EnvoyRefusesRule: error(
    "Envoy would refuse a rule, so its requests are answered 500.",
    "Correct the name or the value.",
  ),
  EnvoyDropsBudget: warning(
    "Envoy cannot keep a retry budget together with a backoff.",
    "Take out the backoff if retries must be bounded, or the budget if tries must be apart.",
  ),
  EnvoyCountsBudgetOtherwise: warning(
    "Envoy counts a retry budget in its own way.",
    "Choose minRetryRate.count so that it holds for retries that are under way at the same time.",
  ),
  EnvoyCapsAttempts: warning("Envoy retries less often than is asked for.", "Ask for 100 attempts at most."),
  EnvoyRewritesOnce: warning(
    "Envoy rewrites a path once, and it is to be rewritten twice.",
    "Write the rewrite of the backend so that it begins with the path as it came, and take out that of the rule.",
  ),
  // In what CoverageRules demand.
  NotCovered: error("What a CoverageRule demands does not hold."),
  CoverageRuleInvalid: error("A CoverageRule cannot be read."),
  CoverageRuleError: error("The condition of a CoverageRule cannot be evaluated."),
  CoverageMatchesNothing: warning("A CoverageRule is about nothing that is there."),
  CoverageIncomplete: info("A CoverageRule cannot be judged everywhere."),
};

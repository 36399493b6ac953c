/**
 * Every code of a finding: the table behind `check`, its machine formats and `docs/findings.md`. Codes are stable, because
 * people filter on them. A new code needs a row here and a section there; tests check both.
 */
import type { Severity } from "./finding.ts";
import type { FindingCode } from "./finding-code.ts";

export interface FindingCodeFacts {
  /** The usual severity. A finding may have another one, such as that of its CoverageRule. */
  readonly severity: Severity;
  /** The problem, in one sentence. */
  readonly title: string;
  /** The fix, if the finding itself has none. */
  readonly fix?: string;
}

const error = (title: string, fix?: string): FindingCodeFacts => row("error", title, fix);
const warning = (title: string, fix?: string): FindingCodeFacts => row("warning", title, fix);
const info = (title: string, fix?: string): FindingCodeFacts => row("info", title, fix);

const row = (severity: Severity, title: string, fix: string | undefined): FindingCodeFacts =>
  fix === undefined ? { severity, title } : { severity, title, fix };

/** In the order of `docs/findings.md`. */
export const findingCodes: Readonly<Record<FindingCode, FindingCodeFacts>> = {
  // Files.
  YamlSyntax: error("The document is not valid YAML or JSON."),
  DuplicateKey: warning("One mapping has the same key twice."),
  BadKey: error("A key is not a string."),
  BadTag: error("An explicit tag does not match its value."),
  BadAlias: error("An alias has no anchor, or is inside its own anchor."),
  BadMerge: error("The value of a merge key (<<) is not a mapping."),
  NotFinite: error("A number is not finite."),
  NotAnObject: error("A document is not a Kubernetes object."),
  TooDeep: error("A document is nested too deeply."),
  TooManyAliases: error("The aliases of a document expand to too much data."),
  TooLarge: error("A document or a file is too large."),
  NotUtf8: error("A file is not in UTF-8."),
  PathNotFound: error("A path given with -f does not exist.", "Correct the path."),
  PathUnreadable: error("A path exists but cannot be read.", "Make the path readable, or leave it out."),
  UnsafeInteger: warning("An integer is too large to be represented exactly."),
  SurprisingYaml: warning("A YAML value is parsed as another type than it seems."),
  EmptyDirectory: warning("A directory has no YAML or JSON files.", "Correct the path given with -f."),
  UnreadableResource: info(
    "Objects of a cluster may not be listed, or could not be.",
    "Ask for the right to list them. To see your rights: kubectl auth can-i --list.",
  ),
  UnrenderedTemplate: warning("Files are templates, which are not YAML until they are rendered."),
  LfsPointer: warning("Files are Git LFS pointers, not their content.", "Fetch the content with git lfs pull."),
  NotInCommit: warning(
    "The content of a path at a commit is not known, so the path is not compared.",
    "Compare it with --against, from a checkout of the commit.",
  ),
  SkippedDocuments: info(
    "Documents in a directory are not Kubernetes objects.",
    "Name a file with -f to see what it lacks.",
  ),
  MoreFindings: warning("A document has more findings than are shown."),
  // Objects of any kind.
  InvalidField: error("A field has a value that the API server would refuse."),
  MissingField: error("A field that the API server requires is missing."),
  UnreplacedPlaceholder: info(
    "A value has a placeholder that is not replaced.",
    "Replace it first, such as with envsubst, and read the output with -f -.",
  ),
  SchemaRuleNotEvaluated: info(
    "A rule of a CRD could not be evaluated.",
    "Apply the object with --dry-run=server to have the API server evaluate it.",
  ),
  DuplicateObject: error("Two documents define the same object."),
  DuplicateSectionName: warning("Two sections of one object have the same name.", "Give each section a unique name."),
  ImpliedObject: info(
    "An object is referenced, but no document defines it.",
    "Add its file with -f to know its labels.",
  ),
  UnknownKind: warning(
    "An object is of a kind that its API group does not have.",
    "Correct the kind or the apiVersion. If the kind exists, add its CRD with -f.",
  ),
  PolicyCrdIncomplete: warning("The CRD of a policy kind lacks something that GEP-713 requires.", "Complete the CRD."),
  UnknownPolicyKind: info("A policy is of a kind without a PolicyDefinition."),
  // Links between objects.
  ParentNotFound: info(
    "The parent of a route or ListenerSet is not in the input.",
    "Correct the name, or add the parent's file with -f.",
  ),
  BackendNotFound: info(
    "The backend of a route is not in the input.",
    "Correct the name, or add the backend's file with -f.",
  ),
  NoMatchingParent: error(
    "No listener of the parent has that section name or port.",
    "Use the name or port of a listener of the parent, or leave out sectionName and port.",
  ),
  NotAllowedByListeners: error(
    "No listener of the parent allows this route.",
    "Attach the route to another listener, or widen the listener's allowedRoutes.",
  ),
  NoMatchingListenerHostname: error(
    "The hostnames of the route and the listener do not intersect.",
    "Give the route a hostname that matches the hostname of the listener.",
  ),
  NotAllowed: error(
    "The Gateway does not allow this ListenerSet.",
    "Widen the Gateway's allowedListeners, or move the ListenerSet.",
  ),
  UnknownNamespaceLabels: info(
    "Whether a selector allows a route or ListenerSet depends on the labels of a Namespace that is not in the input.",
    "Add the file of the Namespace with -f.",
  ),
  RefNotPermitted: error(
    "A reference into another namespace is not permitted.",
    "Add a ReferenceGrant to the referenced namespace.",
  ),
  InvalidKind: error("A reference has a kind that is not allowed there.", "Use an allowed kind."),
  ImplementationSpecificKind: info(
    "A reference has a kind that the specification leaves to implementations.",
    "Add a PolicyDefinition that has the kind in its hierarchy, if paths should go on.",
  ),
  InvalidRef: error("A reference is invalid."),
  SelfReference: error("An object names itself as its parent.", "Use another parent."),
  // Gateways, GatewayClasses, ListenerSets and their listeners.
  UnsupportedProtocol: error(
    "A listener has a protocol that Gateway API does not have.",
    "Use HTTP, HTTPS, TLS, TCP or UDP.",
  ),
  InvalidRouteKinds: error(
    "A listener allows a kind of routes that does not exist, or that its protocol does not carry.",
    "Correct the kind, or remove it from allowedRoutes.kinds.",
  ),
  HostnameConflict: error(
    "Two listeners have the same port and hostname.",
    "Give each listener its own port or hostname.",
  ),
  ProtocolConflict: error(
    "Two listeners have the same port, but protocols that cannot share it.",
    "Give each protocol its own port.",
  ),
  InvalidCertificateRef: error(
    "A reference of a listener to a certificate is invalid.",
    "Refer to a Secret of type kubernetes.io/tls that exists.",
  ),
  InvalidClientCertificateRef: error(
    "The reference of a Gateway to its client certificate for backends is invalid.",
    "Refer to a Secret of type kubernetes.io/tls that exists.",
  ),
  InvalidCACertificateRef: error(
    "A reference to CA certificates is invalid.",
    "Refer to a ConfigMap that exists, and whose key ca.crt has certificates in PEM.",
  ),
  InvalidCACertificateKind: error(
    "A reference of a Gateway to CA certificates has a kind that is not supported.",
    "Refer to a ConfigMap.",
  ),
  NoValidCACertificate: error(
    "A listener cannot validate clients, because no reference to CA certificates is valid.",
    "Correct at least one of caCertificateRefs.",
  ),
  InsecureFrontendValidationMode: warning(
    "A Gateway admits clients whose certificates are missing or invalid.",
    "Use mode AllowValidOnly, or let the backends authenticate clients.",
  ),
  InvalidParameters: error(
    "The parameters of a Gateway or GatewayClass are invalid.",
    "Correct the reference or the parameters, or create the object.",
  ),
  ParentNotAccepted: error("The Gateway of a ListenerSet is not accepted.", "Correct the Gateway."),
  LinkCycle: error("Objects are linked in a cycle."),
  LinkLimit: error("Objects have too many levels or links."),
  // Policies on their own.
  InvalidSpec: error("The spec of a policy is not an object.", "Write the spec as a mapping."),
  InvalidTooDeep: error("The spec of a policy is nested too deeply.", "Flatten it."),
  InvalidTooLarge: error("The spec of a policy is too large.", "Split the policy."),
  InvalidBlock: error("A block of a policy is invalid."),
  InvalidStrategy: error("A policy has a merge strategy that its kind does not support."),
  InvalidTarget: error("A target reference of a policy is invalid."),
  InvalidSelector: error("A label selector of a policy is invalid, or its kind does not support selectors."),
  InvalidForTarget: error("A policy has a setting that is not allowed for one of its targets."),
  UnreadableTimestamp: warning("The creation time of a policy is invalid."),
  InferredDefinition: info("The definition of a policy kind is inferred from the label of its CRD."),
  BareRulesBesideDefaults: warning("Rules outside the blocks of a policy are replaced by its own defaults."),
  ConditionError: error(
    "The condition of a block (when) cannot be evaluated.",
    "Correct the expression; test a field that may be missing with has(…).",
  ),
  UnknownSetting: warning("A policy of a built-in kind, or GatewayParameters, has an unknown setting."),
  // Targets of policies.
  TargetNotFound: error("The target of a policy is not in the input.", "Correct the name, or add the target."),
  SectionNotFound: error(
    "The target does not have the section.",
    "Use the name of a listener, rule or port of the target.",
  ),
  SectionNotAllowed: error("A policy of this kind cannot target this kind of section."),
  SectionRequired: error(
    "A policy of this kind targets a section, and its target names none.",
    "Name a section of the target in sectionName.",
  ),
  KindNotAllowed: error("A policy of this kind cannot target this kind of object."),
  ScopeNotAllowed: error(
    "The target is outside the scope of the policy.",
    "Use the cluster-scoped kind of the policy.",
  ),
  NamespaceMissing: error("A target of a cluster-scoped policy has no namespace."),
  CrossNamespaceForbidden: error("A policy targets an object in another namespace."),
  ReferenceNotPermitted: error(
    "No ReferenceGrant permits the policy to target an object in another namespace.",
    "Add a ReferenceGrant to the target's namespace, or move the policy there.",
  ),
  SelectorMatchesNothing: error(
    "The label selector of a policy matches no object.",
    "Correct the selector, or the labels of the objects.",
  ),
  Conflicted: warning(
    "The target already has a policy with which this one is not merged.",
    "Delete one of the two policies, or change the target of one.",
  ),
  UndefinedConflict: warning(
    "The target has several policies, and it is not defined which of them takes effect.",
    "Delete all but one of the policies, or change the targets of the others.",
  ),
  UnknownWorkloads: info(
    "A policy selects workloads by label, and the workloads are not known.",
    "Add the workloads (Deployments, Pods) to the input, or see the documentation of the implementation for what the policy takes effect on.",
  ),
  NamedPolicyNotFound: error(
    "An object names a policy that is not in the input.",
    "Correct the name, or add the policy.",
  ),
  UnknownAnnotationValue: warning(
    "An annotation that selects the merge strategy has a value without a meaning.",
    "Correct the value, or remove the annotation.",
  ),
  // References of policies.
  InvalidReference: error(
    "A policy refers to an object that does not exist, or that does not contain what it must.",
    "Correct the reference, or the object.",
  ),
  // PolicyDefinitions.
  DefinitionWrongType: error("A field of a PolicyDefinition has a value of the wrong type."),
  DefinitionUnknownField: error("A PolicyDefinition has an unknown field."),
  DefinitionUnknownValue: error("A field of a PolicyDefinition has a value that is not allowed."),
  DefinitionMissingField: error("A PolicyDefinition has no value for a required field."),
  DefinitionMisplaced: error("Two fields of a PolicyDefinition contradict each other."),
  DefinitionDuplicate: error("A PolicyDefinition has a duplicate entry."),
  DefinitionClash: error("Two PolicyDefinitions define one policy kind.", "Keep one of them."),
  DefinitionReplacesBuiltIn: info("A PolicyDefinition is used instead of the built-in one of its kind."),
  CrdClash: error("Two CustomResourceDefinitions describe one kind."),
  DefinitionDirectSeveralKinds: info("A Direct policy kind may target several kinds."),
  DefinitionDirectMerges: error("A Direct policy kind merges."),
  DefinitionDirectSpans: error("A Direct policy kind has an effective target that it cannot target."),
  DefinitionTargetBelowEffective: error("A policy kind may target objects below its effective targets."),
  DefinitionNamespaceReachesNothing: error(
    "A policy kind may target Namespaces that are not a level of its hierarchy.",
  ),
  DefinitionOutsideHierarchy: error("A policy kind uses kinds that are not on its paths."),
  DefinitionMappingOffPath: error("A policy kind maps onto a field of a kind that is not on its paths."),
  DefinitionNoRules: error("A policy kind merges named rules, but does not say which field has them."),
  DefinitionNoAnnotation: error("A policy kind is decided by an annotation, but does not name it."),
  DefinitionUnusedField: warning("A field of a PolicyDefinition has no effect."),
  DefinitionInferred: info("A policy kind is inferred from the label of its CRD."),
  DefinitionNotInferred: warning("No definition can be inferred from the policy label of a CRD."),
  UnknownStrategy: error(
    "A PolicyDefinition uses a custom strategy that is not registered.",
    "Use a built-in granularity; only programs that use the library have custom strategies.",
  ),
  // Effective policies.
  NeverTakesEffect: warning("A policy is accepted, but none of its settings takes effect."),
  ValuesNeverTakeEffect: info("Some values of a policy take effect nowhere."),
  CrdDefaultReplacesDefault: warning("A default of a CRD replaces the default of a policy."),
  NoController: warning(
    "A policy takes no effect behind a Gateway, because its controller does not carry the policy kind out.",
    "Attach the target to a Gateway of a controller that carries the kind out, or do not rely on the policy there.",
  ),
  ReachesNothing: warning("A policy is accepted, but no path leads through its target."),
  OverrideMeetsNothing: info("No lower policy or object sets what the overrides of a policy set."),
  RuleNameCollision: warning("Rules of two policies have the same name, so one replaces the other."),
  RemovesNothing: warning("A policy removes a rule that no higher policy sets as a default."),
  ConditionNeverHolds: info("The condition of a block (when) is false on every path."),
  ConditionReadsMissingKey: warning("The condition of a block (when) reads a key that is missing on every path."),
  NamespaceSelectorMatchesNothing: info("A namespace selector of a Gateway or listener matches no namespace."),
  StatusDiffers: warning("A condition in the status differs from the computed one."),
  AncestorsLeftOut: warning("A policy has more than 16 ancestors."),
  UnknownIgnoredCode: error("The annotation that ignores findings has an unknown code."),
  // Retries and timeouts.
  RetriesExceedTimeout: warning("The request times out before the waits between retries end."),
  RetriesMayNotFit: info("The request may time out before the last retry."),
  AttemptOutlivesRequest: warning("The timeout of one attempt is longer than the timeout of the request."),
  BackoffAboveMaximum: warning("The backoff is longer than the maximum backoff."),
  CodeNotRetried: warning("A retry lists a status code that is not retried.", "List codes from 400 to 599."),
  NotHttp: info(
    "A RetryPolicy is above connections that are not HTTP.",
    "None needed if it is meant for HTTPRoutes and GRPCRoutes. TCPRoutes, TLSRoutes and UDPRoutes have no retries.",
  ),
  // Data planes, with `--dataplane`.
  NotServed: error("The data plane cannot do what an object configures."),
  SettingIgnored: warning(
    "No data plane carries out a setting, and it is left out.",
    "Remove the setting, or use another controller.",
  ),
  EmbeddedHasNoUdp: error("The embedded gateway does not serve UDP.", "Use Envoy: run --dataplane envoy."),
  EmbeddedHasNoExternalAuth: error(
    "The embedded gateway does not carry out an ExternalAuth filter.",
    "Use protocol HTTP without forwardBody, or Envoy: run --dataplane envoy.",
  ),
  EnvoyRefusesMatch: error("Envoy refuses a match, so the match is left out.", "Correct the name or the pattern."),
  EnvoyRefusesRule: error(
    "Envoy refuses a rule, so its requests get a 500 response.",
    "Correct the name or the value.",
  ),
  EnvoyDropsBudget: warning(
    "Envoy cannot apply a retry budget together with a backoff.",
    "Remove the backoff if retries must be bounded, or the budget if attempts must be apart.",
  ),
  EnvoyCountsBudgetOtherwise: warning(
    "Envoy counts a retry budget differently.",
    "Set minRetryRate.count to the number of concurrent retries to allow.",
  ),
  EnvoyCapsAttempts: warning("Envoy retries less often than configured.", "Set at most 100 attempts."),
  EnvoySplitsSessions: warning(
    "Envoy cannot keep a session of type Header at one of several backends.",
    "Use sessions of type Cookie, or one backend.",
  ),
  EnvoyKeepsSessions: warning(
    "Envoy does not end sessions of type Header.",
    "Use sessions of type Cookie, or remove absoluteTimeout.",
  ),
  EnvoyKeepsCookies: info(
    "Envoy gives the cookie of a session with a timeout a Max-Age attribute.",
    "Use lifetimeType: Permanent to say so.",
  ),
  EnvoyShortensBackoff: warning(
    "Envoy cannot keep the minimum of a backoff together with sessions.",
    "Remove the backoff, or the sessionPersistence.",
  ),
  EnvoyRewritesOnce: warning(
    "Envoy rewrites a path once, but two rewrites are configured.",
    "Write the rewrite of the backend for the path as the client sends it, and remove the rewrite of the rule.",
  ),
  // CoverageRules.
  NotCovered: error("A target does not meet a CoverageRule."),
  CoverageRuleInvalid: error("A CoverageRule is invalid."),
  CoverageRuleError: error("The condition of a CoverageRule cannot be evaluated."),
  CoverageMatchesNothing: warning("A CoverageRule has no targets."),
  CoverageIncomplete: info("A CoverageRule cannot be checked on every target."),
};

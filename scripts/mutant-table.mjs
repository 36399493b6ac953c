/**
 * Mistakes that test/spec must notice. Each is one text of one file, which must occur there exactly once, and what it
 * becomes. When the code changes, mend its row; a row may go only with the rule that it breaks.
 */
const merge = "src/core/merge";
const topology = "src/core/topology";
const effective = "src/core/effective";
const model = "src/core/model";
const status = "src/core/status";
const targets = "src/core/attachment/resolve-targets.ts";

const row = (name, file, text, becomes) => ({ name, file, text, becomes });

export const mutants = [
  // Who is higher (GEP-713, "Conflict resolution").
  row(
    "fold top-down",
    `${merge}/fold.ts`,
    "for (const level of levels) run.foldLevel(level);",
    "for (const level of levels.toReversed()) run.foldLevel(level);",
  ),
  row(
    "the newer of two is the higher",
    `${merge}/precedence.ts`,
    "if (ageA !== ageB) return ageA < ageB ? -1 : 1;",
    "if (ageA !== ageB) return ageA < ageB ? 1 : -1;",
  ),
  row(
    "`<=` for `<` in the age rule: equal ages never reach the alphabet",
    `${merge}/precedence.ts`,
    "if (ageA !== ageB) return ageA < ageB ? -1 : 1;",
    "if (ageA <= ageB || ageA > ageB) return ageA <= ageB ? -1 : 1;",
  ),
  row(
    "a policy without a creation time is the oldest",
    `${merge}/precedence.ts`,
    "const ageA = a.createdAt ?? Number.POSITIVE_INFINITY;\n  const ageB = b.createdAt ?? Number.POSITIVE_INFINITY;",
    "const ageA = a.createdAt ?? Number.NEGATIVE_INFINITY;\n  const ageB = b.createdAt ?? Number.NEGATIVE_INFINITY;",
  ),
  row(
    "the alphabet, backwards",
    `${merge}/precedence.ts`,
    "compareText(namespacedName(a), namespacedName(b))",
    "compareText(namespacedName(b), namespacedName(a))",
  ),
  row(
    "the namespace does not count in the alphabet",
    `${merge}/precedence.ts`,
    "`${object.ref.namespace}/${object.ref.name}`",
    "object.ref.name",
  ),
  row(
    "namespace and name are compared one after the other",
    `${merge}/precedence.ts`,
    "compareText(namespacedName(a), namespacedName(b))",
    "compareText(a.object.ref.namespace, b.object.ref.namespace) || compareText(namespacedName(a), namespacedName(b))",
  ),

  // The fold (RFC 9).
  row(
    "on one target the oldest is folded first",
    `${merge}/fold.ts`,
    'case "Established":\n        for (let i = policies.length - 1; i >= 0; i--) {',
    'case "Established":\n        for (let i = 0; i < policies.length; i++) {',
  ),
  row(
    "first created does not win among defaults",
    `${merge}/fold.ts`,
    "for (const policy of policies) {\n          const defaults",
    "for (const policy of policies.toReversed()) {\n          const defaults",
  ),
  row(
    "overrides removable",
    `${merge}/fold.ts`,
    'strategy.base === "Defaults" ? this.#notRemoved(policy, block) : candidatesOf(policy, block)',
    "this.#notRemoved(policy, block)",
  ),
  row(
    "a removal acts on its own policy",
    `${merge}/fold.ts`,
    "for (const entry of block.remove) this.#pending.push({ entry, policy, block });",
    "for (const entry of block.remove) this.#removals = [...this.#removals, { entry, policy, block }];",
  ),
  row(
    "removals act on the next level only",
    `${merge}/fold.ts`,
    "this.#removals = [...this.#removals, ...this.#pending];",
    "this.#removals = [...this.#pending];",
  ),
  row("an atomic override keeps the removals from below", `${merge}/fold.ts`, "this.#removals = NO_REMOVALS;\n", ""),
  row(
    "a removal takes every name that begins with it",
    `${merge}/fold.ts`,
    "dotted.startsWith(`${entry}.`)",
    "dotted.startsWith(entry)",
  ),
  row("a rule's bare name removes nothing", `${merge}/fold.ts`, "if (unit.ruleName === entry) return true;", ""),
  row(
    "a missing key fails closed like an error",
    `${merge}/fold.ts`,
    'case "missing":\n        return false;',
    'case "missing":\n        return strategy.base === "Overrides";',
  ),
  row(
    "a condition that cannot be evaluated lets an override go",
    `${merge}/fold.ts`,
    'return strategy.base === "Overrides";',
    "return false;",
  ),
  row(
    "a condition sees nothing of the result so far",
    `${merge}/fold.ts`,
    "const spec: JsonObject = this.result.toSpec();",
    "const spec: JsonObject = {};",
  ),
  row(
    "the removals of a gated block act",
    `${merge}/fold.ts`,
    "      return false;\n    }\n    const candidates =",
    "      for (const entry of block.remove) this.#pending.push({ entry, policy, block });\n      return false;\n    }\n    const candidates =",
  ),
  row(
    "bare rules before defaults",
    `${model}/parse-policy.ts`,
    'parseNamedBlock("defaults", DEFAULTS, spec, reader, report),\n        parseBlock("bare", bare, "spec", reader, report),',
    'parseBlock("bare", bare, "spec", reader, report),\n        parseNamedBlock("defaults", DEFAULTS, spec, reader, report),',
  ),
  row(
    "the spelling `override` is not read",
    `${model}/parse-policy.ts`,
    'const OVERRIDES = ["overrides", "override"] as const;',
    'const OVERRIDES = ["overrides", "overrides_"] as const;',
  ),
  row(
    "two merge strategies in one policy are let through",
    `${model}/parse-policy.ts`,
    'merge.blocks === "Exclusive" && blocks.length > 1',
    'merge.blocks === "Exclusive" && blocks.length > 2',
  ),
  row(
    "`strategy` is spec proper",
    `${model}/parse-policy.ts`,
    "const beside = [...REMOVALS, ...(hasStrategy ? [merge.granularity.field] : [])];",
    "const beside = [...REMOVALS];",
  ),

  // Strategies.
  row(
    "atomic defaults fill in what is missing",
    `${merge}/merge-block.ts`,
    "yieldTo(result, candidate, result.inTheWay(candidate.unit.pointer), holders, merge.decision);",
    "holders.length < 0 ? undefined : mergeDefaultLeaf(result, candidate, merge.decision);",
  ),
  row(
    "atomic overrides leave standing what they do not mention",
    `${merge}/merge-block.ts`,
    'case "Atomic":\n      replaceAll(result, merge.candidates, merge.decision);',
    'case "Atomic":\n      overrideLeaves(result, merge.candidates, merge.decision);',
  ),
  row(
    "defaults replace what is there",
    `${merge}/merge-block.ts`,
    "if (inTheWay.length === 0) take(result, candidate, decision);\n  else yieldTo(result, candidate, inTheWay, [], decision);",
    "overrideLeaves(result, inTheWay.length < 0 ? [] : [candidate], decision);",
  ),
  row(
    "a named rule that is there is replaced by a default",
    `${merge}/merge-block.ts`,
    "if (held.length === 0) for (const candidate of units) take(result, candidate, decision);",
    "if (held.length < 9) overrideLeaves(result, units, decision);",
  ),
  row(
    "a policy that says only null is empty",
    `${merge}/fold-result.ts`,
    "return this.#held === 0;",
    "return Object.keys(this.toSpec()).length === 0;",
  ),
  row(
    "tombstones are left in the spec",
    `${merge}/fold-result.ts`,
    "if (holder !== undefined && holder.unit.value !== null) units.push(holder.unit);",
    "if (holder !== undefined) units.push(holder.unit);",
  ),
  row(
    "the child decides the strategy: not heeded",
    `${merge}/choose-strategy.ts`,
    "granularity: (lower ?? block).granularity",
    "granularity: block.granularity",
  ),
  row(
    "an annotation decides the strategy: not heeded",
    `${merge}/choose-strategy.ts`,
    "return annotated ?? { base, granularity: block.granularity };",
    "return { base, granularity: block.granularity };",
  ),
  row(
    "a custom strategy gets the two specs exchanged",
    `${merge}/merge-custom.ts`,
    "established: { spec: buildSpec(merge.candidates.map(({ unit }) => unit)), policy: metadataOf(merge.policy) },\n    challenger: { spec: result.toSpec(),",
    "established: { spec: result.toSpec(), policy: metadataOf(merge.policy) },\n    challenger: { spec: buildSpec(merge.candidates.map(({ unit }) => unit)),",
  ),
  row(
    "a Direct policy loses to overrides",
    `${merge}/fold.ts`,
    'if (rules.bare === "Direct") run.applyDirect(levels);',
    'if (rules.bare === "Direct" && run.result.isEmpty) run.applyDirect(levels);',
  ),
  row("a Direct policy flows down", `${merge}/fold.ts`, "if (!level.isEnd) continue;", ""),
  row(
    "maps that are one value are merged",
    `${model}/units.ts`,
    'atomicPaths: granularities.includes("Field") ? [...merge.atomicPaths, ...(crd?.mapPaths ?? [])] : [],',
    'atomicPaths: granularities.includes("Field") ? [...(crd?.mapPaths ?? [])] : [],',
  ),
  row(
    "maps of the CRD's schema are merged",
    `${model}/units.ts`,
    "[...merge.atomicPaths, ...(crd?.mapPaths ?? [])]",
    "[...merge.atomicPaths]",
  ),

  // The object's own fields (REF, "Merging into existing `spec` fields").
  row(
    "the object's own value does not count",
    `${merge}/fold.ts`,
    "run.beginWith(own);",
    "run.beginWith(own.slice(0, 0));",
  ),
  row(
    "an empty list of the object is a value",
    `${effective}/own-values.ts`,
    "if (Array.isArray(value)) return value.length === 0;",
    "if (Array.isArray(value)) return false;",
  ),
  row(
    "0 and false of the object count as unset",
    `${effective}/own-values.ts`,
    'if (value === null || value === "") return true;',
    'if (value === null || value === "" || value === 0 || value === false) return true;',
  ),
  row(
    "items of every type are touched",
    `${effective}/own-values.ts`,
    "isWritten(ownValue(item, where.key), where.value)",
    "!isWritten(ownValue(item, where.key), `no ${where.value}`)",
  ),

  // Where a route hangs (Gateway API).
  row(
    "hostname wildcard too wide: `*.example.com` takes `badexample.com`",
    `${topology}/hostnames-intersect.ts`,
    "name.length >= wildcard.length && name.endsWith(wildcard.slice(1));",
    "name.length >= wildcard.length && name.endsWith(wildcard.slice(2));",
  ),
  row(
    "hostname wildcard too wide: `*.example.com` takes `example.com`",
    `${topology}/hostnames-intersect.ts`,
    "name.length >= wildcard.length && name.endsWith(wildcard.slice(1));",
    "name === wildcard.slice(2) || name.endsWith(wildcard.slice(1));",
  ),
  row(
    "hostname wildcard too narrow: one label only",
    `${topology}/hostnames-intersect.ts`,
    "name.length >= wildcard.length && name.endsWith(wildcard.slice(1));",
    'name.slice(name.indexOf(".")) === wildcard.slice(1);',
  ),
  row(
    "two wildcards meet only if they are equal",
    `${topology}/hostnames-intersect.ts`,
    "if (leftWild && rightWild) return left.endsWith(right.slice(1)) || right.endsWith(left.slice(1));",
    "if (leftWild && rightWild) return false;",
  ),
  row(
    "a route without hostnames hangs under no listener that has one",
    `${topology}/hostnames-intersect.ts`,
    'if (listener === undefined || listener === "" || route.length === 0) return true;',
    'if (listener === undefined || listener === "") return true;',
  ),
  row(
    "listeners take routes from all namespaces by default",
    `${topology}/allowed-namespaces.ts`,
    'const from = isJsonObject(value) ? (value["from"] ?? byDefault) : byDefault;',
    'const from = isJsonObject(value) ? (value["from"] ?? "All") : byDefault === "Same" ? "All" : byDefault;',
  ),
  row(
    "a Gateway takes ListenerSets by default",
    `${topology}/parent-links.ts`,
    'allowedNamespaces(ALLOWED_LISTENERS.read(gateway.raw), "None")',
    'allowedNamespaces(ALLOWED_LISTENERS.read(gateway.raw), "Same")',
  ),
  row(
    "a namespace selector selects everything",
    `${topology}/allowed-namespaces.ts`,
    "return matchesSelector(allowed.selector, labels);",
    "return matchesSelector(allowed.selector, labels) || true;",
  ),
  row(
    "sectionName of a parentRef is not heeded",
    `${topology}/listener-accepts.ts`,
    'if (route.sectionName !== undefined && listener.declaredName !== route.sectionName) return "OtherName";',
    "",
  ),
  row(
    "port of a parentRef is not heeded",
    `${topology}/listener-accepts.ts`,
    'if (route.port !== undefined && listener.port !== route.port) return "OtherPort";',
    "",
  ),
  row(
    "allowed kinds are not heeded",
    `${topology}/listener-accepts.ts`,
    'if (listed && !isListed(listener, route.facts)) return "OtherKinds";',
    "",
  ),
  row(
    "the protocol is not heeded",
    `${topology}/listener-accepts.ts`,
    'if (!fitsProtocol(listener.protocol, route.facts, listed)) return "OtherProtocol";',
    "",
  ),
  row(
    "two parentRefs that reach one listener give two paths",
    `${topology}/object-links.ts`,
    "return placed.filter((next, index) => index === 0 || byParent(placed[index - 1] ?? next, next) !== 0).map(linkOf);",
    "return placed.map(linkOf);",
  ),
  row(
    "a backend in another namespace needs no grant",
    `${topology}/link-draft.ts`,
    "return named.permitted;",
    "return true;",
  ),
  row(
    "a ReferenceGrant trusts every namespace",
    `${topology}/reference-grants.ts`,
    "item.kind === kind && item.namespace === namespace && item.group === group;",
    "item.kind === kind && item.group === group && namespace !== undefined;",
  ),
  row(
    "a ReferenceGrant for one name is one for all",
    `${topology}/reference-grants.ts`,
    "(item.name === undefined || item.name === name)",
    "(item.name === undefined || name !== undefined)",
  ),
  row(
    "NotIn selects only what has the label",
    `${topology}/matches-selector.ts`,
    'return typeof value !== "string" || !values.includes(value);',
    'return typeof value === "string" && !values.includes(value);',
  ),

  // Paths.
  row("namespace visited twice", `${effective}/path-finder.ts`, " || visitsNamespace(base, namespace)) {", ") {"),
  row(
    "a namespace stands above every object in it",
    `${effective}/path-finder.ts`,
    "!node.place.isBelowNamespace",
    "this.#kind.namespacesAbove.size === 0",
  ),
  row(
    "a rule with backends is an end of its own, too",
    `${effective}/path-finder.ts`,
    "const goesOn = end.mayContinue && this.#continues(id, section);",
    "const goesOn = !end.mayContinue && this.#continues(id, section);",
  ),
  row(
    "mesh: a consumer's policy acts on everybody's traffic",
    targets,
    "...(isConsumer ? { consumer: home } : {}),",
    "",
  ),
  row(
    "mesh: a consumer's policy splits traffic that goes another way",
    `${effective}/path-finder.ts`,
    "setAt(sets, node) !== undefined && above.elsewhere?.has(namespace) !== true",
    "setAt(sets, node) !== undefined",
  ),
  row(
    "a Direct policy on a Service beats the one on its port",
    `${effective}/path-finder.ts`,
    "const set = sets.sections?.get(section.name) ?? sets.own;",
    "const set = sets.own ?? sets.sections?.get(section.name);",
  ),

  // Targets.
  row(
    "an unnamed rule can be targeted by its place",
    targets,
    "definition.targeting.positionalRules;",
    "(definition.targeting.positionalRules || true);",
  ),
  row(
    "positional names are never allowed",
    targets,
    "definition.targeting.positionalRules;",
    "definition.targeting.positionalRules && false;",
  ),
  row(
    "a target in another namespace needs no grant",
    targets,
    "return isReferenceGranted(context.grantsIn(ref.namespace), from, ref);",
    "return isReferenceGranted(context.grantsIn(ref.namespace), from, ref) || true;",
  ),
  row(
    "a namespaced policy may target any Namespace",
    targets,
    "isNamespace(allowed) && (target.selector !== undefined || target.name === home)",
    "isNamespace(allowed)",
  ),
  row(
    "kinds compare letter by letter",
    targets,
    "allowed.kind.toLowerCase() === kind.toLowerCase()",
    "allowed.kind === kind",
  ),
  row(
    "a label selector selects everything",
    targets,
    "if (!matchesSelector(selector, labelsOf(object))) continue;",
    "",
  ),
  row("a target named twice is attached twice", targets, "if (resolution.seen.has(key)) return;", ""),
  row(
    "None: the newest wins",
    `${effective}/stack.ts`,
    "{ policies: policies.slice(0, 1), losers: policies.slice(1), annotated, key, uses: [] }",
    "{ policies: policies.slice(-1), losers: policies.slice(0, -1), annotated, key, uses: [] }",
  ),

  // Verdicts, affected targets, status.
  row(
    "one bad target hides the good ones",
    `${effective}/verdict-of.ts`,
    "if (record.targets.attachments.length === 0) {",
    "if (record.targets.attachments.length === 0 || record.targets.rejections.length > 0) {",
  ),
  row(
    "a policy beats itself",
    `${effective}/effective-core.ts`,
    "if (by.length > 0 && by.every((policy) => policy === candidate.policy)) return;",
    "",
  ),
  row(
    "a value equal to the winner's is beaten",
    `${merge}/fold-result.ts`,
    "if (holder !== undefined && jsonEqual(holder.unit.value, value))",
    'if (holder !== undefined && jsonEqual(holder.unit.value, value) && pointer === "")',
  ),
  row(
    "a constraint that is met counts as beaten",
    `${effective}/effective-core.ts`,
    "outcome.gated = true;",
    "outcome.gated = true;\n    outcome.beaten++;",
  ),
  row(
    "beaten once is overridden",
    `${effective}/verdict-of.ts`,
    'if (none === paths) return "Overridden";',
    'if (none > 0) return "Overridden";',
  ),
  row(
    "targets are affected by policies that do not prevail",
    `${effective}/affected.ts`,
    "if (prevailing === 0) continue;",
    "",
  ),
  row(
    "targets above the declared one are affected",
    `${effective}/affected.ts`,
    "let isBelow = false;",
    "let isBelow = true;",
  ),
  row(
    "a route is affected under every parent",
    `${status}/place-finder.ts`,
    'if (text("name", "") !== parent.name || text("namespace", route.namespace) !== parent.namespace) return false;',
    "",
  ),
  row(
    "Overridden is reported as enforced",
    `${status}/conditions.ts`,
    'status: "False", reason: "Overridden"',
    'status: "True", reason: "Overridden"',
  ),
  row(
    "a policy that is not accepted has another condition",
    `${status}/ancestors-of.ts`,
    'const conditions = [notAccepted(record.object, "Invalid", verdict.message)];',
    'const conditions = [notAccepted(record.object, "Invalid", verdict.message), accepted(record.object)];',
  ),
  row(
    "more ancestors than a status has room for",
    `${status}/status-report-of.ts`,
    "const MAX_ANCESTORS = 16;",
    "const MAX_ANCESTORS = 17;",
  ),
];

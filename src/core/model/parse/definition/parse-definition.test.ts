import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { definitionFrom, kubeObject } from "../../../../../test/support/cluster/kube-objects.ts";
import { statusStates } from "../../definition/status-rules.ts";
import type { Json, JsonObject } from "../../json.ts";
import { definitionSchema } from "../../schema/own-kinds/definition-schema.ts";
import { partFields } from "../../schema/own-kinds/merge-schema.ts";
import type { Schema } from "../../schema/schema.ts";
import { parseObject } from "../../snapshot.ts";
import { governsWords } from "../../words/governs-words.ts";
import { parseDefinition } from "./parse-definition.ts";

const document = (spec: Json, apiVersion = "prevail.dev/v1alpha1") =>
  kubeObject({ apiVersion, kind: "PolicyDefinition", metadata: { name: "colors.example.com" }, spec });

const minimal: JsonObject = {
  policies: [{ group: "example.com", kind: "ColorPolicy" }],
  class: "Inherited",
  targeting: { kinds: ["Gateway", { kind: "HTTPRoute", sections: ["Rule"] }] },
};

const GATEWAY_API = "gateway.networking.k8s.io";

test("everything but policies, class and targeting.kinds has a default", () => {
  expect(parseDefinition(document(minimal))).toEqual({
    findings: [],
    definition: {
      name: "colors.example.com",
      policies: [{ group: "example.com", kind: "ColorPolicy", scope: "Namespaced" }],
      class: "Inherited",
      targeting: {
        fields: { ref: "targetRef", refs: "targetRefs", selectors: "targetSelectors" },
        refs: "Many",
        selectors: false,
        crossNamespace: "Forbidden",
        positionalRules: false,
        kinds: [
          { group: GATEWAY_API, kind: "Gateway", sections: [], virtual: false, policies: [] },
          { group: GATEWAY_API, kind: "HTTPRoute", sections: ["Rule"], virtual: false, policies: [] },
        ],
      },
      hierarchy: {
        effectiveTargets: [{ group: GATEWAY_API, kind: "HTTPRoute", section: "Rule" }],
        namespacesAbove: [],
        roots: [],
        through: [],
        mesh: false,
        links: [],
        kinds: [],
      },
      merge: {
        none: false,
        granularity: { default: "Atomic", field: "strategy", values: {} },
        rules: [],
        atomicPaths: [],
        blocks: "Combined",
        bare: "AtomicDefaults",
        decidedBy: "Higher",
        sameTarget: "Established",
        empty: "GivesWay",
      },
      mapsTo: [],
      status: { vocabulary: "Enforced" },
      controllers: [],
      inferred: false,
    },
  });
});

test("a Direct kind takes effect on its targets, sections included, and never merges", () => {
  const spec = { ...minimal, class: "Direct", targeting: { kinds: [{ kind: "Service", sections: ["Port"] }] } };
  const { definition } = parseDefinition(document(spec));
  expect(definition?.hierarchy.effectiveTargets).toEqual([
    { group: "", kind: "Service" },
    { group: "", kind: "Service", section: "Port" },
  ]);
  expect(definition?.merge.none).toBe(true);
});

/** A document in which every field of the schema is written. */
const complete: JsonObject = {
  policies: [{ group: "example.com", kind: "ColorPolicy", scope: "Cluster" }],
  class: "Inherited",
  targeting: {
    fields: { ref: "target", refs: "targets", selectors: "selected" },
    refs: "One",
    selectors: true,
    crossNamespace: "Consumer",
    positionalRules: true,
    kinds: [
      {
        group: GATEWAY_API,
        kind: "Gateway",
        sections: ["Listener"],
        virtual: false,
        policies: ["ColorPolicy"],
        forbids: [{ path: "a.b", bySectionName: true, because: "it makes no sense" }],
        sectionRequired: true,
        byPort: true,
      },
      { group: "fruit.example.com", kind: "Apple", sections: ["Seed"] },
    ],
    impliedKind: "Apple",
    namedBy: [{ level: "GatewayListener", path: "filters[type=Color].ref", separator: "," }],
    selectorNamespaces: { field: "namespaces", grants: "NotNeeded", everywhere: ["global"] },
    absent: {
      means: "OwnNamespace",
      rootNamespace: "root",
      workloadSelector: "selector",
      workloads: [
        {
          group: GATEWAY_API,
          kind: "Gateway",
          labels: "spec.infrastructure.labels",
          nameLabels: ["gateway.networking.k8s.io/gateway-name"],
        },
      ],
    },
  },
  hierarchy: {
    effectiveTargets: [{ group: "fruit.example.com", kind: "Apple", section: "Seed" }],
    namespaces: { above: ["Gateway", { group: "fruit.example.com", kind: "Apple" }] },
    roots: ["GatewayClass", { group: "", kind: "Service" }],
    through: ["GatewayClass", "Gateway", "Apple", "HTTPRoute"],
    links: [
      {
        from: "GatewayListener",
        to: "Apple",
        via: "ParentRefs",
        path: "spec.parentRefs",
        attachment: "RouteToListener",
      },
      {
        from: "Apple",
        to: "HTTPRoute",
        via: "ChildRefs",
        path: "spec.routes",
        grants: "NotNeeded",
        anyName: "*",
        byLabel: { group: "label.example.com", kind: "Label", label: "team", allNamespaces: "all" },
      },
    ],
    kinds: [
      {
        group: "fruit.example.com",
        kind: "Apple",
        scope: "Namespaced",
        plural: "apples",
        shortNames: ["ap"],
        sections: [{ section: "Seed", path: "spec.seeds" }],
        route: { protocols: ["HTTP"], hostnames: true },
      },
    ],
  },
  merge: {
    strategy: "DefaultsAndOverrides",
    granularity: { default: "Field", base: "Overrides", field: "how", values: { merge: "Merge", mix: "Custom/mix" } },
    rules: ["limits", "rules.*"],
    atomicPaths: ["labels"],
    blocks: "Exclusive",
    bare: "Direct",
    decidedBy: "Annotation",
    annotation: { key: "example.com/how", values: { child: { base: "Defaults", granularity: "Atomic" } } },
    sameTarget: "OldestWins",
  },
  mapsTo: [
    { from: "a.b", to: { level: "GatewayListener", path: "x.y[]" }, create: false },
    { to: "Gateway spec.things[kind=Color].color" },
  ],
  references: [
    {
      path: "tls.ca",
      kinds: ["ConfigMap", { group: "", kind: "Secret" }],
      keys: ["ca.crt"],
      format: "Certificates",
      reason: "InvalidCa",
      noneValid: "NoCa",
    },
  ],
  status: {
    vocabulary: "Programmed",
    ancestors: "Target",
    owner: "example.com/owner",
    words: Object.fromEntries(statusStates.map((state) => [state, [`${state}=True`, "Ready=False/Pending"]])),
  },
  controllers: ["example.com/controller"],
  visibility: "Target",
  sensitive: ["tls.password"],
  governs: "Security",
  governsPaths: Object.fromEntries(governsWords.map((word) => [word, [`about.${word}`, `*.${word}`]])),
  approximate: [{ because: "of another colour", paths: ["tls"], with: ["retry"] }],
};

test("every field can be written, and is read", () => {
  const { definition, findings } = parseDefinition(document(complete));
  expect(findings).toEqual([]);
  expect(definition).toMatchObject({
    targeting: {
      fields: { ref: "target" },
      refs: "One",
      crossNamespace: "Consumer",
      positionalRules: true,
      impliedKind: "Apple",
      kinds: [{ sectionRequired: true, byPort: true }, {}],
      selectorNamespaces: { field: "namespaces", grants: "NotNeeded", everywhere: ["global"] },
      absent: {
        means: "OwnNamespace",
        rootNamespace: "root",
        workloadSelector: "selector",
        workloads: [{ group: GATEWAY_API, kind: "Gateway", labels: "spec.infrastructure.labels" }],
      },
      namedBy: [{ level: { kind: "Gateway", section: "Listener" }, path: "filters[type=Color].ref", separator: "," }],
    },
    hierarchy: {
      effectiveTargets: [{ group: "fruit.example.com", kind: "Apple", section: "Seed" }],
      namespacesAbove: [{ group: GATEWAY_API, kind: "Gateway" }, { kind: "Apple" }],
      links: [
        { from: { kind: "Gateway", section: "Listener" }, via: "ParentRefs", attachment: "RouteToListener" },
        {
          to: { kind: "HTTPRoute" },
          grants: "NotNeeded",
          anyName: "*",
          byLabel: { group: "label.example.com", kind: "Label", label: "team", allNamespaces: "all" },
        },
      ],
      kinds: [{ kind: "Apple", sections: [{ section: "Seed", path: "spec.seeds" }], route: { hostnames: true } }],
    },
    merge: {
      granularity: {
        default: "Field",
        base: "Overrides",
        field: "how",
        values: { merge: "Merge", mix: { custom: "mix" } },
      },
      annotation: { values: { child: { base: "Defaults", granularity: "Atomic" } } },
      sameTarget: "OldestWins",
    },
    mapsTo: [
      { from: "a.b", to: { level: { kind: "Gateway", section: "Listener" }, path: "x.y[]" }, create: false },
      { from: "", to: { level: { kind: "Gateway" }, path: "spec.things[kind=Color].color" }, create: true },
    ],
    references: [
      {
        path: "tls.ca",
        kinds: [
          { group: "", kind: "ConfigMap" },
          { group: "", kind: "Secret" },
        ],
        keys: ["ca.crt"],
        format: "Certificates",
        reason: "InvalidCa",
        noneValid: "NoCa",
      },
    ],
    status: {
      vocabulary: "Programmed",
      ancestors: "Target",
      owner: "example.com/owner",
      words: {
        Overridden: [
          { type: "Overridden", status: "True" },
          { type: "Ready", status: "False", reason: "Pending" },
        ],
      },
    },
    controllers: ["example.com/controller"],
    visibility: "Target",
    sensitive: ["tls.password"],
    governs: "Security",
    governsPaths: governsWords.map((governs) => ({ governs, paths: [`about.${governs}`, `*.${governs}`] })),
    approximate: [{ because: "of another colour", paths: ["tls"], with: ["retry"] }],
  });
});

/** The complete document with the fields that only another strategy has: for tests of types, which come before contradictions. */
const withoutParts: JsonObject = {
  ...complete,
  hierarchy: {
    ...(complete["hierarchy"] as JsonObject),
    links: [
      {
        from: "GatewayListener",
        to: "Apple",
        via: "ChildRefs",
        path: "spec.apples",
        attachment: "RouteToListener",
        grants: "NotNeeded",
        anyName: "*",
        byLabel: { group: "label.example.com", kind: "Label", label: "team", allNamespaces: "all" },
      },
    ],
  },
  merge: {
    ...(complete["merge"] as JsonObject),
    order: [{ path: "priority", annotation: "example.com/order", values: ["a"], descending: true, absent: "1" }],
    groupBy: { path: "action", annotation: "example.com/group", values: ["a"], descending: false, absent: "a" },
    precedence: [{ path: "priority", annotation: "example.com/weight", values: ["a"], descending: true, absent: "1" }],
    limit: 5,
    ruleNames: "Fixed",
    lists: [{ path: "things", by: "name", join: "Append", items: "Fields", except: ["lock"] }],
    granularity: {
      default: "Field",
      base: "Overrides",
      field: "how",
      values: { lock: { base: "Overrides", granularity: "Field" } },
    },
    annotation: {
      key: "example.com/how",
      values: { child: { base: "Defaults", granularity: "Atomic" } },
      absent: { base: "Overrides", granularity: "Field" },
      fields: { base: "Defaults", granularity: "Field" },
      between: "Objects",
      on: [{ group: GATEWAY_API, kind: "HTTPRoute" }],
    },
    words: { defaults: ["base"], overrides: ["lock"], when: ["if"], remove: ["drop"] },
    parents: "Closest",
    skip: [{ group: GATEWAY_API, kind: "HTTPRoute", section: "Rule" }],
    mostSpecific: [{ group: GATEWAY_API, kind: "HTTPRoute" }],
  },
};
const everyField: JsonObject = {
  ...withoutParts,
  parts: [
    {
      name: "clients",
      paths: ["clients"],
      targets: [{ group: GATEWAY_API, kind: "Gateway", section: "Listener" }],
      effectiveTargets: [{ group: GATEWAY_API, kind: "HTTPRoute", section: "Rule" }],
      merge: {
        ...Object.fromEntries(
          Object.entries(structuredClone(withoutParts["merge"]) as JsonObject).filter(([key]) =>
            partFields.includes(key),
          ),
        ),
        strategy: "Accumulate",
        decidedBy: "Lower",
      },
    },
  ],
};

type Path = readonly (string | number)[];

/** The path of each field of the schema in the complete document: the first item of a list, the first key of a map. */
function* pathsOf({ properties = {} }: Schema, path: Path): Generator<Path> {
  for (const [name, schema] of Object.entries(properties)) yield* pathsInside(schema, [...path, name]);
}
function* pathsInside(schema: Schema, path: Path): Generator<Path> {
  yield path;
  const { items, additionalProperties: values } = schema;
  if (items !== undefined) yield* pathsInside(items, [...path, 0]);
  if (typeof values === "object") yield* pathsInside(values, [...path, Object.keys(at(path) ?? {})[0] ?? ""]);
  if (schema["x-prevail-shorthand"] === undefined || typeof at(path) === "object") yield* pathsOf(schema, path);
}
const at = (path: Path): unknown =>
  path.reduce<unknown>((value, key) => (value as Readonly<Record<string | number, unknown>>)[key], everyField);

const fieldOf = (path: Path): string =>
  path.reduce<string>((text, key) => (typeof key === "number" ? `${text}[${key}]` : `${text}.${key}`), "spec");

function withValue(path: Path, value: Json): Json {
  const copy = structuredClone(everyField) as unknown as Record<string | number, unknown>;
  let parent = copy;
  for (const key of path.slice(0, -1)) parent = parent[key] as Record<string | number, unknown>;
  parent[path.at(-1) ?? ""] = value;
  return copy as unknown as Json;
}

describe("a value of the wrong type gives a finding that names the field, and the definition is not used", () => {
  for (const path of pathsOf(definitionSchema, [])) {
    test(fieldOf(path), () => {
      const { definition, findings } = parseDefinition(
        document(withValue(path, typeof at(path) === "number" ? "5" : 5)),
      );
      expect(definition).toBeUndefined();
      expect(findings).toMatchObject([{ severity: "error", code: "DefinitionWrongType", field: fieldOf(path) }]);
      expect(findings[0]?.message).toMatch(/ is "?5"?; allowed: /);
    });
  }
});

describe("findings have the value, the allowed values and a suggestion", () => {
  const changed = (change: JsonObject): Json => ({ ...minimal, ...change });
  for (const [name, spec, code, field, message] of [
    ["no spec", null, "DefinitionWrongType", "spec", "spec is null; allowed: an object"],
    [
      "a missing field",
      { class: "Direct", targeting: { kinds: ["Service"] } },
      "DefinitionMissingField",
      "spec.policies",
      "spec.policies is missing; give a list of 1 to 64 items",
    ],
    [
      "an empty list",
      changed({ targeting: { kinds: [] } }),
      "DefinitionMissingField",
      "spec.targeting.kinds",
      "spec.targeting.kinds is missing: list the kinds that a policy may target, or in namedBy the fields of objects that name policies.",
    ],
    [
      "an implied kind that may not be targeted",
      changed({ targeting: { kinds: ["Gateway", "HTTPRoute"], impliedKind: "HttpRoute" } }),
      "DefinitionUnknownValue",
      "spec.targeting.impliedKind",
      `spec.targeting.impliedKind is "HttpRoute"; allowed: Gateway, HTTPRoute, the kinds in spec.targeting.kinds; did you mean 'HTTPRoute'?`,
    ],
    [
      "an empty name",
      changed({ policies: [{ group: "", kind: "" }] }),
      "DefinitionMissingField",
      "spec.policies[0].kind",
      'spec.policies[0].kind is ""; allowed: a string of 1 to 1024 characters',
    ],
    [
      "a policy kind's group with a version",
      changed({ policies: [{ group: "a/b", kind: "P" }] }),
      "DefinitionUnknownValue",
      "spec.policies[0].group",
      'spec.policies[0].group is "a/b"; allowed: an API group, without a version',
    ],
    [
      "a policy kind with a dot in its name",
      changed({ policies: [{ group: "a", kind: "V.P" }] }),
      "DefinitionUnknownValue",
      "spec.policies[0].kind",
      "spec.policies[0].kind is \"V.P\"; allowed: the name of a kind, without dots, slashes and '#'",
    ],
    [
      "a kind of the hierarchy with a slash in its name",
      changed({ hierarchy: { kinds: [{ group: "a", kind: "V/P" }] } }),
      "DefinitionUnknownValue",
      "spec.hierarchy.kinds[0].kind",
      expect.stringContaining("without dots, slashes"),
    ],
    [
      "a virtual kind with a dot in its name",
      changed({ targeting: { kinds: [{ group: "a", kind: "V.P", virtual: true }] } }),
      "DefinitionUnknownValue",
      "spec.targeting.kinds[0].kind",
      expect.stringContaining("without dots, slashes"),
    ],
    [
      "an unknown field",
      changed({ mergeStrategy: {} }),
      "DefinitionUnknownField",
      "spec.mergeStrategy",
      "spec.mergeStrategy is not a field; spec has policies, class, targeting, hierarchy, merge, parts, settings, mapsTo, references, status, controllers, visibility, sensitive, governs, governsPaths, approximate",
    ],
    [
      "a mistyped field",
      changed({ merge: { block: "Combined" } }),
      "DefinitionUnknownField",
      "spec.merge.block",
      expect.stringMatching(/did you mean 'blocks'\?$/),
    ],
    [
      "a mistyped value",
      changed({ class: "inherited" }),
      "DefinitionUnknownValue",
      "spec.class",
      "spec.class is \"inherited\"; allowed: Direct, Inherited; did you mean 'Inherited'?",
    ],
    [
      "an unknown word for what a kind governs",
      changed({ governs: "RateLimit" }),
      "DefinitionUnknownValue",
      "spec.governs",
      "spec.governs is \"RateLimit\"; allowed: Gateways, Clients, Security, RateLimits, Traffic, Retries, Extensions, LoadBalancing, Backends, BackendTLS, Telemetry; did you mean 'RateLimits'?",
    ],
    [
      "an unknown word for what settings govern",
      changed({ governsPaths: { RateLimit: ["limits"] } }),
      "DefinitionUnknownField",
      "spec.governsPaths.RateLimit",
      "spec.governsPaths.RateLimit is not a field; spec.governsPaths has Gateways, Clients, Security, RateLimits, Traffic, Retries, Extensions, LoadBalancing, Backends, BackendTLS, Telemetry; did you mean 'RateLimits'?",
    ],
    [
      "a path that governs two things",
      changed({ governsPaths: { Retries: ["retry"], Traffic: ["rewrite", "retry"] } }),
      "DefinitionDuplicate",
      "spec.governsPaths.Retries[0]",
      'spec.governsPaths.Retries[0] repeats "retry" of spec.governsPaths.Traffic[1]. List each path once.',
    ],
    [
      "a path with an empty key",
      changed({ governsPaths: { Retries: ["retry..on"] } }),
      "DefinitionUnknownValue",
      "spec.governsPaths.Retries[0]",
      expect.stringContaining("a dotted path"),
    ],
    [
      "an unknown word for what a part governs",
      changed({ parts: [{ name: "all", paths: ["a"], effectiveTargets: ["HTTPRouteRule"], governs: "Retrys" }] }),
      "DefinitionUnknownValue",
      "spec.parts[0].governs",
      expect.stringMatching(/did you mean 'Retries'\?$/),
    ],
    [
      "an unknown granularity",
      changed({ merge: { granularity: { default: "Deep" } } }),
      "DefinitionUnknownValue",
      "spec.merge.granularity.default",
      'spec.merge.granularity.default is "Deep"; allowed: Atomic, Patch, Merge, Field, Custom/<name>',
    ],
    [
      "a custom strategy without a name",
      changed({ merge: { granularity: { default: "Custom/" } } }),
      "DefinitionUnknownValue",
      "spec.merge.granularity.default",
      expect.stringContaining("Custom/<name>"),
    ],
    [
      "a mistyped level",
      changed({ hierarchy: { effectiveTargets: ["HTTPRouteRules"] } }),
      "DefinitionUnknownValue",
      "spec.hierarchy.effectiveTargets[0]",
      expect.stringMatching(/did you mean 'HTTPRouteRule'\?$/),
    ],
    [
      "an unknown kind",
      changed({ targeting: { kinds: [{ group: "apps", kind: "Deployment" }] } }),
      "DefinitionUnknownValue",
      "spec.targeting.kinds[0]",
      expect.stringContaining("Declare it under hierarchy.kinds, or make the target virtual"),
    ],
    [
      "a wrong group",
      changed({ targeting: { kinds: [{ group: "", kind: "Gateway" }] } }),
      "DefinitionUnknownValue",
      "spec.targeting.kinds[0]",
      expect.stringContaining(`the group of Gateway is ""; known: "${GATEWAY_API}"`),
    ],
    [
      "an unknown section",
      changed({ targeting: { kinds: [{ kind: "Gateway", sections: ["Listeners"] }] } }),
      "DefinitionUnknownValue",
      "spec.targeting.kinds[0].sections[0]",
      "spec.targeting.kinds[0].sections[0] is \"Listeners\"; allowed: Listener; did you mean 'Listener'?",
    ],
    [
      "a section of a kind without any",
      changed({ hierarchy: { effectiveTargets: [{ kind: "Namespace", section: "Rule" }] } }),
      "DefinitionUnknownValue",
      "spec.hierarchy.effectiveTargets[0].section",
      expect.stringContaining("Namespace has no sections"),
    ],
    [
      "a policy kind that is not joined",
      changed({ targeting: { kinds: [{ kind: "Gateway", policies: ["ColourPolicy"] }] } }),
      "DefinitionUnknownValue",
      "spec.targeting.kinds[0].policies[0]",
      expect.stringMatching(/did you mean 'ColorPolicy'\?$/),
    ],
    [
      "a path with a hole",
      changed({ merge: { granularity: { default: "Merge" }, rules: ["rules..x"] } }),
      "DefinitionUnknownValue",
      "spec.merge.rules[0]",
      expect.stringContaining("dotted path"),
    ],
    [
      "a mapping without a path",
      changed({ mapsTo: [{ to: "Gateway" }] }),
      "DefinitionUnknownValue",
      "spec.mapsTo[0].to",
      expect.stringContaining('the path ""'),
    ],
    [
      "a merge field with None",
      changed({ merge: { strategy: "None", blocks: "Combined" } }),
      "DefinitionMisplaced",
      "spec.merge.blocks",
      expect.stringContaining("has no meaning with strategy None"),
    ],
  ] as const) {
    test(name, () => {
      const { definition, findings } = parseDefinition(document(spec));
      expect(definition).toBeUndefined();
      expect(findings).toEqual([
        { severity: "error", object: "PolicyDefinition.prevail.dev//colors.example.com", code, field, message },
      ]);
    });
  }

  test("another version", () => {
    const { definition, findings } = parseDefinition(document(minimal, "prevail.dev/v1"));
    expect(definition).toBeUndefined();
    expect(findings).toMatchObject([{ field: "apiVersion", message: expect.stringContaining("prevail.dev/v1alpha1") }]);
  });

  test("keys that JavaScript has too are unknown fields, not inherited ones", () => {
    const spec = JSON.parse(JSON.stringify(minimal).replace("{", '{"__proto__": 1, "constructor": 1, ')) as Json;
    expect(parseDefinition(document(spec)).findings.map(({ field }) => field)).toEqual([
      "spec.__proto__",
      "spec.constructor",
    ]);
  });

  test("a document of a thousand mistakes gives a readable number of findings", () => {
    const spec = { ...minimal, policies: Array.from({ length: 1000 }, () => 1) };
    expect(parseDefinition(document(spec)).findings.length).toBeLessThanOrEqual(50);
  });
});

describe("a definition that is parsed twice", () => {
  test("is equal, and differs where its document does", () => {
    const { definition } = parseDefinition(document(minimal));
    expect(parseDefinition(document(structuredClone(minimal))).definition).toEqual(definition);
    const direct = parseDefinition(document({ ...minimal, class: "Direct", targeting: { kinds: ["Gateway"] } }));
    expect(direct.definition).not.toEqual(definition);
    expect(direct.definition?.class).toBe("Direct");
  });

  test("differs if the object was changed in place", () => {
    const spec = { ...structuredClone(minimal), class: "Inherited" };
    const before = parseDefinition(document(spec)).definition;
    spec.class = "Sideways";
    expect(before?.class).toBe("Inherited");
    expect(parseDefinition(document(spec)).findings.map(({ field }) => field)).toEqual(["spec.class"]);
  });

  test("has its findings each time, with the position of its document", () => {
    const odd = { ...minimal, merge: { rules: ["limits"] } };
    const found = [1, 2].map((line) => {
      const { raw } = document(odd);
      const source = { file: "definitions.yaml", line, column: 1 };
      const parsed = parseObject(raw, source);
      return parsed.state === "object" ? parseDefinition(parsed.object).findings : [];
    });
    expect(found.map((findings) => findings.map(({ code, source }) => [code, source?.line]))).toEqual([
      [["DefinitionUnusedField", 1]],
      [["DefinitionUnusedField", 2]],
    ]);
  });

  test("may contain a value that is not JSON, which is an unknown field like any other", () => {
    const spec: unknown = { ...minimal, size: 10n };
    expect(parseDefinition(document(spec as Json)).findings.map(({ field }) => field)).toEqual(["spec.size"]);
  });
});

describe("test/testdata/definitions parse without findings", () => {
  const folder = fileURLToPath(new URL("../../../../../test/testdata/definitions", import.meta.url));
  const names = readdirSync(folder).map((name) => name.replace(/\.yaml$/, ""));
  for (const name of names) {
    test(name, () => {
      expect(definitionFrom(name).inferred).toBe(false);
    });
  }

  test("and can be used together", () => {
    const kinds = names.flatMap((name) => definitionFrom(name).policies.map(({ group, kind }) => `${kind}.${group}`));
    expect(new Set(kinds).size).toBe(kinds.length);
  });
});

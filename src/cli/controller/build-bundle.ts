/** The content of a support bundle: kinds, numbers, codes and handles; no name, label, annotation, host or value of an object. */
import { createHmac, randomBytes } from "node:crypto";
import { findCaveats } from "../../core/caveats/find-caveats.ts";
import { checkedFindings } from "../../core/check.ts";
import type { Verdict } from "../../core/effective/verdicts/verdict.ts";
import { verdictOf } from "../../core/effective/verdicts/verdict-of.ts";
import type { PolicyRecord, World } from "../../core/effective/world/world.ts";
import { optionsOf } from "../../core/evaluation.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { compareText, type GroupKind, kindId, type ObjectId, parseObjectId } from "../../core/model/refs.ts";
import type { LoadedSource } from "../../sources/load-source.ts";

export interface BundleFacts {
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  /** The version of the API server; undefined for files. */
  readonly kubernetes: string | undefined;
  /** Objects whose status another writer resets, so that the controller has stopped to write it there, by its Events. Undefined: they cannot be read. */
  readonly statusResets: readonly GroupKind[] | undefined;
}

/** A handle stands for a name, and is equal for equal names of one bundle. The key is not kept, so a handle cannot be looked up in a list of names. */
type Handle = (text: string) => string;

const createHandles = (): Handle => {
  const key = randomBytes(32);
  return (text) => (text === "" ? "" : `~${createHmac("sha256", key).update(text).digest("hex").slice(0, 10)}`);
};

export function buildBundle(
  { world, evaluation, unread }: Pick<LoadedSource, "world" | "evaluation" | "unread">,
  facts: BundleFacts,
): JsonObject {
  const handle = createHandles();
  const findings = checkedFindings(world, optionsOf(evaluation).evaluateCondition);
  return {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "SupportBundle",
    prevail: { version: facts.version, node: facts.node, platform: facts.platform },
    ...(facts.kubernetes === undefined ? {} : { kubernetes: facts.kubernetes }),
    objects: countKinds(world),
    definitions: world.rulebook.kinds.map(({ policyKind, definition }) => ({
      group: policyKind.group,
      kind: policyKind.kind,
      class: definition.class,
    })),
    policies: policiesOf(world, handle),
    findings: findings.map(({ code, severity, object }) => ({ code, severity, ...objectOf(object, handle) })),
    caveats: findCaveats(world, { about: "Input", unread }).map(({ code, severity, objects, policies }) => ({
      code,
      severity,
      objects: objects.map(({ object }) => objectOf(object, handle)),
      policies: policies.map(({ group, kind, count }) => ({ group, kind, count })),
    })),
    unread: unread.map(({ code, severity }) => ({ code, severity })),
    ...(facts.statusResets === undefined
      ? { statusResets: "Events cannot be read" }
      : { statusResets: countByKind(facts.statusResets) }),
  };
}

function countKinds(world: World): readonly JsonObject[] {
  const kinds: GroupKind[] = [];
  world.objects.forEach(({ ref }) => void kinds.push(ref));
  return countByKind(kinds);
}

function countByKind(kinds: readonly GroupKind[]): readonly JsonObject[] {
  const counts = new Map<string, { group: string; kind: string; count: number }>();
  for (const { group, kind } of kinds) {
    const key = kindId({ group, kind });
    const found = counts.get(key) ?? { group, kind, count: 0 };
    found.count++;
    counts.set(key, found);
  }
  return [...counts].sort(([a], [b]) => compareText(a, b)).map(([, counted]) => ({ ...counted }));
}

function policiesOf(world: World, handle: Handle): readonly JsonObject[] {
  const policies: JsonObject[] = [];
  world.policies.forEach((record, id) => {
    policies.push({
      ...objectOf(id, handle),
      ...verdictFacts(verdictOf(world, record)),
      ...settingsOf(record, handle),
    });
  });
  return policies;
}

function settingsOf({ policy, targets }: PolicyRecord, handle: Handle): JsonObject {
  return {
    // The names of blocks are those of the definition; the names of settings may be chosen by their author.
    blocks: (policy?.blocks ?? []).map(({ name, units }) => ({ name, settings: units.length })),
    targets: targets.attachments.map(({ object, sectionName }) => ({
      ...objectOf(object, handle),
      ...(sectionName === undefined ? {} : { section: handle(sectionName) }),
    })),
    refusedTargets: targets.rejections.map(({ code }) => code),
  };
}

function verdictFacts(verdict: Verdict): JsonObject {
  switch (verdict.state) {
    case "Accepted": {
      const { paths, incomplete, full, partial, none } = verdict.total;
      return { verdict: verdict.enforcement, paths: { all: paths, incomplete, full, partial, none } };
    }
    case "NotAccepted":
    case "Unknown":
      return { verdict: verdict.reason };
  }
}

/** The kind of an object, and handles instead of its namespace and name. */
function objectOf(id: ObjectId | undefined, handle: Handle): JsonObject {
  if (id === undefined) return {};
  const { group, kind, namespace, name } = parseObjectId(id);
  return { group, kind, namespace: handle(namespace), name: handle(`${namespace}/${name}`) };
}

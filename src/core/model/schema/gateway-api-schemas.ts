import { isJsonObject, type Json } from "../json.ts";
import type { GroupKind } from "../refs.ts";
import type { GatewayApiSchema } from "./gateway-api-schema.ts";
import { gatewayApiSchemas, sharedSchemas } from "./gen/gateway-api-schemas.ts";
import type { Schema } from "./schema.ts";

/** A kind of Gateway API with the versions of its CRDs. */
export interface GatewayApiKind extends GroupKind {
  readonly versions: readonly string[];
  readonly storageVersion: string;
}

export function gatewayApiKinds(): readonly GatewayApiKind[] {
  const kinds = new Map<string, GatewayApiKind>();
  for (const { group, kind, versions } of gatewayApiSchemas) {
    const known = kinds.get(kind);
    const storage = versions.find((version) => version.storage)?.name;
    kinds.set(kind, {
      group,
      kind,
      versions: [...new Set([...(known?.versions ?? []), ...versions.map(({ name }) => name)])],
      storageVersion: storage ?? known?.storageVersion ?? "",
    });
  }
  return [...kinds.values()];
}

/** The schemas of `spec` that a version has: that of the experimental channel, then that of the standard channel. */
export function findGatewayApiSchemas({ group, kind }: GroupKind, version: string): readonly GatewayApiSchema[] {
  const rows = gatewayApiSchemas.filter((row) => row.kind === kind && row.group === group);
  const found = CHANNELS.map((channel) =>
    rows.find(({ versions }) => versions.some((listed) => listed.channel === channel && listed.name === version)),
  );
  return [...new Set(found.filter((row) => row !== undefined))];
}

const CHANNELS = ["experimental", "standard"] as const;

/** The schema of a row as a document. Parts that occur more than once are one object. */
export function parseGatewayApiSchema({ spec }: GatewayApiSchema): Schema {
  const parts = new Map<number, Json>();
  // The documents are our own, so references are replaced in place.
  const resolve = (value: Json): Json => {
    const inside = value as { [key: string]: Json };
    for (const key of Object.keys(inside)) {
      const inner = inside[key];
      if (typeof inner === "object" && inner !== null) inside[key] = partOf(inner) ?? resolve(inner);
    }
    return value;
  };
  const partOf = (value: Json): Json | undefined => {
    const index = isJsonObject(value) ? value["$ref"] : undefined;
    if (typeof index !== "number") return undefined;
    const part = parts.get(index) ?? resolve(parseJson(sharedSchemas[index] ?? "{}"));
    parts.set(index, part);
    return part;
  };
  const whole = parseJson(spec);
  return (partOf(whole) ?? resolve(whole)) as Schema;
}

const parseJson = (text: string): Json => JSON.parse(text) as Json;

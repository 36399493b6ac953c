import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseDocuments } from "../../../src/adapters/files/parse-documents.ts";

/** What the definition of a kind says as the implementation does. */
export type Rating = "exact" | "approximate" | "not modelled";

export const ASPECTS = ["targets", "order", "merge", "conflicts", "status"] as const;
export type Aspect = (typeof ASPECTS)[number];

/** `vendor.yaml`: what the pages say beside the definitions. */
export interface VendorFacts {
  /** The folder. */
  readonly vendor: string;
  readonly title: string;
  readonly readAt: string;
  /** For each test file of `test/vendors` with cases of the vendor, how many: different rules with effective settings and a status. */
  readonly cases: Readonly<Record<string, number>>;
  readonly kinds: Readonly<Record<string, Readonly<Record<Aspect, Rating>>>>;
  /** Where the rules differ from GEP-713. */
  readonly deviates?: readonly string[];
  readonly notModelled?: readonly string[];
  /** Comparisons with the implementation itself. */
  readonly compared?: readonly string[];
  /** Kinds without a definition, and the reason. */
  readonly missing?: Readonly<Record<string, string>>;
}

const FOLDER = fileURLToPath(new URL("../../../src/definitions", import.meta.url));

export const loadVendorFacts = (): readonly VendorFacts[] =>
  readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "gen")
    .map(({ name }) => name)
    .sort()
    .map((vendor) => {
      const file = `${FOLDER}/${vendor}/vendor.yaml`;
      const [document] = parseDocuments(readFileSync(file, "utf8"), file).documents;
      return { vendor, ...(document?.value as Omit<VendorFacts, "vendor">) };
    });

/**
 * Parsed blocks by spec. Templates produce thousands of policies with equal specs. They share one list of blocks, so the fold
 * recognises them by identity.
 */
import { isJsonList, type Json, type JsonObject } from "../../json.ts";
import type { Block } from "../../policy.ts";

/** A spec is compared as a list of tokens: keys, scalars, and symbols for brackets. */
type SpecToken = string | number | boolean | null | typeof OBJECT | typeof LIST | typeof END;

const OBJECT: unique symbol = Symbol("{");
const LIST: unique symbol = Symbol("[");
const END: unique symbol = Symbol("end");

/** Longer or deeper specs are rarely repeated, so they are not kept. */
const MAX_TOKENS = 512;
const MAX_DEPTH = 16;
const MAX_SPECS = 4096;
/** Limit of specs with one hash, because hostile input may produce collisions. */
const MAX_PER_HASH = 8;

interface Entry {
  readonly tokens: readonly SpecToken[];
  readonly blocks: readonly Block[];
}

export class BlockCache {
  readonly #entries: Map<number, Entry[]> = new Map();
  #size = 0;
  /** Tokens and hash of the spec that was read last, without its targets. */
  readonly #tokens: SpecToken[] = [];
  #length = 0;
  #hash = 0;
  #isShort = true;

  /**
   * Reads a spec. The keys in `aside` count for its size, but not for comparison. Returns true if the spec is short: only short
   * specs are kept, and a short spec is within the limits of every policy.
   */
  read(spec: JsonObject, aside: readonly string[]): boolean {
    this.#length = 0;
    this.#hash = 0;
    for (const key in spec) if (!aside.includes(key)) this.#addField(key, spec[key] ?? null, MAX_DEPTH);
    const length = this.#length;
    const hash = this.#hash;
    for (const key in spec) if (aside.includes(key)) this.#addField(key, spec[key] ?? null, MAX_DEPTH);
    this.#isShort = this.#length <= MAX_TOKENS;
    this.#length = length;
    this.#hash = hash;
    return this.#isShort;
  }

  /** True if the spec that was read last is short. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** The blocks of a kept spec that equals the one that was read last. */
  find(): readonly Block[] | undefined {
    for (const { tokens, blocks } of this.#entries.get(this.#hash) ?? NONE) if (this.#equalsLast(tokens)) return blocks;
    return undefined;
  }

  /** Keeps the blocks of the spec that was read last. */
  keep(blocks: readonly Block[]): void {
    if (this.#size >= MAX_SPECS) {
      this.#entries.clear();
      this.#size = 0;
    }
    const entries = this.#entries.get(this.#hash) ?? [];
    if (entries.length >= MAX_PER_HASH) return;
    entries.push({ tokens: this.#tokens.slice(0, this.#length), blocks });
    this.#entries.set(this.#hash, entries);
    this.#size++;
  }

  #equalsLast(tokens: readonly SpecToken[]): boolean {
    if (tokens.length !== this.#length) return false;
    for (let i = 0; i < tokens.length; i++) if (tokens[i] !== this.#tokens[i]) return false;
    return true;
  }

  #addField(key: string, value: Json, depth: number): void {
    this.#add(key);
    this.#addValue(value, depth);
  }

  #addValue(value: Json, depth: number): void {
    if (depth === 0) this.#length = MAX_TOKENS + 1;
    // A longer spec is not kept, so the rest of it is not read.
    if (this.#length > MAX_TOKENS) return;
    if (typeof value !== "object" || value === null) {
      this.#add(value);
      return;
    }
    if (isJsonList(value)) {
      this.#add(LIST);
      for (const item of value) this.#addValue(item, depth - 1);
    } else {
      this.#add(OBJECT);
      for (const key in value) this.#addField(key, value[key] ?? null, depth - 1);
    }
    this.#add(END);
  }

  #add(token: SpecToken): void {
    this.#tokens[this.#length++] = token;
    this.#hash = (Math.imul(this.#hash, 31) + hashOf(token)) | 0;
  }
}

const NONE: readonly Entry[] = [];

/** A quick hash. Specs with the same hash are compared token by token. */
function hashOf(token: SpecToken): number {
  if (typeof token === "string") {
    const { length } = token;
    return length === 0 ? 1 : length + 7 * token.charCodeAt(0) + 13 * token.charCodeAt(length - 1);
  }
  if (typeof token === "number") return token | 0;
  return token === true ? 2 : 3;
}

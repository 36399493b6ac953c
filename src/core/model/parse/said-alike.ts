/**
 * Policies that say the same, found. Templates give thousands of them, and what one says is then read once: the blocks of
 * all are the same list, by which whoever folds them knows that they say the same.
 */
import { isJsonList, type Json, type JsonObject } from "../json.ts";
import type { Block } from "../policy.ts";

/** A spec, token by token: what cannot be mistaken for a value or a key stands for the brackets. */
type Token = string | number | boolean | null | typeof OBJECT | typeof LIST | typeof END;

const OBJECT: unique symbol = Symbol("{");
const LIST: unique symbol = Symbol("[");
const END: unique symbol = Symbol("end");

/** Longer or deeper specs are hardly ever written twice, and would be kept for nothing. */
const MAX_TOKENS = 512;
const MAX_DEPTH = 16;
const MAX_SPECS = 4096;
/** Of one hash: somebody may have made them so. */
const MAX_ALIKE = 8;

interface Said {
  readonly tokens: readonly Token[];
  readonly blocks: readonly Block[];
}

export class SaidAlike {
  readonly #known: Map<number, Said[]> = new Map();
  #size = 0;
  /** Of the spec at hand. */
  readonly #tokens: Token[] = [];
  #length = 0;
  #hash = 0;
  #isShort = true;

  /**
   * Reads a spec: what it says but for keys that stand `aside`, and these. Whether it is short: if not, it is nothing to
   * look for; if it is, it is within any other bounds.
   */
  read(spec: JsonObject, aside: readonly string[]): boolean {
    this.#length = 0;
    this.#hash = 0;
    for (const key in spec) if (!aside.includes(key)) this.#addField(key, spec[key] ?? null, MAX_DEPTH);
    const said = this.#length;
    const hash = this.#hash;
    for (const key in spec) if (aside.includes(key)) this.#addField(key, spec[key] ?? null, MAX_DEPTH);
    this.#isShort = this.#length <= MAX_TOKENS;
    this.#length = said;
    this.#hash = hash;
    return this.#isShort;
  }

  /** Of the spec that was read last. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** What is said by a spec that was kept, and says the same as the one that was read last. */
  find(): readonly Block[] | undefined {
    for (const { tokens, blocks } of this.#known.get(this.#hash) ?? NONE) if (this.#isAtHand(tokens)) return blocks;
    return undefined;
  }

  /** Keeps what the spec says that was read last. */
  keep(blocks: readonly Block[]): void {
    if (this.#size >= MAX_SPECS) {
      this.#known.clear();
      this.#size = 0;
    }
    const alike = this.#known.get(this.#hash) ?? [];
    if (alike.length >= MAX_ALIKE) return;
    alike.push({ tokens: this.#tokens.slice(0, this.#length), blocks });
    this.#known.set(this.#hash, alike);
    this.#size++;
  }

  #isAtHand(tokens: readonly Token[]): boolean {
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
    // Nothing longer is kept, so nothing longer need be read.
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

  #add(token: Token): void {
    this.#tokens[this.#length++] = token;
    this.#hash = (Math.imul(this.#hash, 31) + hashOf(token)) | 0;
  }
}

const NONE: readonly Said[] = [];

/** Quick rather than good: what has the same hash is compared. */
function hashOf(token: Token): number {
  if (typeof token === "string") {
    const { length } = token;
    return length === 0 ? 1 : length + 7 * token.charCodeAt(0) + 13 * token.charCodeAt(length - 1);
  }
  if (typeof token === "number") return token | 0;
  return token === true ? 2 : 3;
}

import { RE2JS } from "re2js";
import type { MatchRegex } from "../../core/model/regex.ts";
import { weighPattern } from "./weigh-pattern.ts";

export interface RegexOptions {
  /** `Whole`: the pattern must match the whole text, as in routes. `Anywhere`: a part of it, as in CEL. */
  readonly match?: "Anywhere" | "Whole";
  /** UTF-16 code units. */
  readonly maxPatternLength?: number;
  /** Patterns kept compiled: as many as are used in turns, or each is compiled again and again. */
  readonly maxPatterns?: number;
  /** Instructions that a pattern may compile to. */
  readonly maxProgramSize?: number;
  /** Instructions times characters: the most that one match can come to. */
  readonly maxSteps?: number;
}

interface Program {
  readonly regex: RE2JS;
  readonly size: number;
  /** The estimated size of the engine's caches since they were last cleared. */
  used: number;
}

type Compiled = { readonly state: "program"; readonly program: Program } | ReturnType<typeof fault>;

/** Few, because the engine keeps states for each that a hostile text can make many. */
const MAX_PATTERNS = 32;
/** The limit of all patterns together. Four bytes each, and one kilobyte for every character at worst. */
const MAX_CACHED_STATES = 32 * 2_000_000;

/**
 * RE2's regular expressions: time is linear in the text, so no pattern can stall us, and there are no backreferences
 * or lookarounds. Linear in the text still means times the size of the pattern, so that product is bounded too.
 */
export function createRegex(options: RegexOptions = {}): MatchRegex {
  const { match = "Anywhere", maxPatternLength = 1000, maxProgramSize = 2000, maxSteps = 1_000_000 } = options;
  const { maxPatterns = MAX_PATTERNS } = options;
  const cache = new Map<string, Compiled>();

  const compile = (pattern: string): Compiled => {
    if (pattern.length > maxPatternLength) {
      return fault(`the pattern is ${pattern.length} characters long; at most ${maxPatternLength} are allowed`);
    }
    if (weighPattern(pattern) > 2 * maxProgramSize) return fault("the pattern repeats too much");
    return compileProgram(pattern, maxProgramSize);
  };
  const remember = (pattern: string): Compiled => {
    const compiled = cache.get(pattern) ?? compile(pattern);
    cache.delete(pattern);
    cache.set(pattern, compiled);
    for (const oldest of cache.keys()) {
      if (cache.size <= maxPatterns) break;
      cache.delete(oldest);
    }
    return compiled;
  };

  return (pattern, text) => {
    const compiled = remember(pattern);
    if (compiled.state === "error") return compiled;
    const { program } = compiled;
    if (program.size * text.length > maxSteps) {
      return fault(`a text of ${text.length} characters is too long for this pattern`);
    }
    const matches = match === "Whole" ? program.regex.testExact(text) : program.regex.test(text);
    forgetStates(program, text.length, MAX_CACHED_STATES / maxPatterns);
    return { state: "value", matches };
  };
}

function compileProgram(pattern: string, maxProgramSize: number): Compiled {
  try {
    const regex = RE2JS.compile(pattern);
    const size = regex.programSize();
    if (size > maxProgramSize) return fault("the pattern repeats too much");
    return { state: "program", program: { regex, size, used: 0 } };
  } catch (error) {
    return fault(error instanceof Error ? error.message : String(error));
  }
}

/** The engine makes a state for each character at most, and keeps it: a cache that only a hostile text fills. */
function forgetStates(program: Program, length: number, maxStates: number): void {
  program.used += length * (program.size + 256);
  if (program.used <= maxStates) return;
  program.regex.reset();
  program.used = 0;
}

function fault(message: string): { readonly state: "error"; readonly message: string } {
  return { state: "error", message };
}

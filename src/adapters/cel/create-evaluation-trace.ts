/** The cost and the errors of one evaluation. */
export interface EvaluationTrace {
  /** Forgets the previous evaluation. */
  readonly start: () => void;
  /** Counts cost, and returns true if some is left. */
  readonly spend: (units: number) => boolean;
  /** Counts cost ahead of work, and throws if that much is not left, so that the work is not begun. */
  readonly charge: (units: number) => void;
  /** Makes the error for a key that is not there. */
  readonly missing: (message: string) => Error;
  /** Makes the error for anything else. */
  readonly failure: (message: string) => Error;
  readonly isMissing: (message: string) => boolean;
  /** Whether this evaluation has met the text before; it remembers the first `capacity` texts. */
  readonly isKnown: (text: string, capacity: number) => boolean;
  readonly exhausted: () => boolean;
  readonly firstFailure: () => string | undefined;
}

/** An error object carries its stack trace and takes several microseconds to make, so it counts like many steps. */
const ERROR_COST = 25;

/**
 * Keeps the account of one evaluation at a time.
 *
 * Errors are noted here at their source because CEL's `||`, `&&`, `exists` and `all` absorb them, and because the
 * library, when it merges several errors into one, keeps only the first. A missing key that hides a type error must
 * not pass for a missing key: a policy could escape a constraint that way.
 */
export function createEvaluationTrace(maxCost: number): EvaluationTrace {
  let cost = 0;
  let failure: string | undefined;
  let missing = new Set<string>();
  let known = new Set<string>();

  const spend = (units: number): boolean => {
    cost += units;
    return cost <= maxCost;
  };
  const note = (message: string): Error => {
    spend(ERROR_COST);
    return new Error(message);
  };
  return {
    start: () => {
      cost = 0;
      failure = undefined;
      missing = new Set();
      known = new Set();
    },
    spend,
    charge: (units) => {
      if (!spend(units)) throw new Error("cost limit exceeded");
    },
    missing: (message) => {
      missing.add(message);
      return note(message);
    },
    failure: (message) => {
      failure ??= message;
      return note(message);
    },
    isMissing: (message) => missing.has(message),
    isKnown: (text, capacity) => {
      if (known.has(text)) return true;
      if (known.size < capacity) known.add(text);
      return false;
    },
    exhausted: () => cost > maxCost,
    firstFailure: () => failure,
  };
}

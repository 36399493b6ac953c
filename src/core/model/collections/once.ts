/** A value that is computed on the first call and kept. */
export interface Once<T> {
  (): T;
  /** True if the value is there, so that a change may update it instead of having it computed again. */
  readonly isMade: () => boolean;
}

export function once<T>(make: () => T): Once<T> {
  let made: { readonly value: T } | undefined;
  const get = (): T => {
    made ??= { value: make() };
    return made.value;
  };
  return Object.assign(get, { isMade: () => made !== undefined });
}

/** A value that is there already. */
export const made = <T>(value: T): Once<T> => Object.assign(() => value, { isMade: () => true });

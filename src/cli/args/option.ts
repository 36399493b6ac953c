/** One option of a command. Parsing, help, documentation and completion are derived from it. */
export interface Option {
  /** Long name, without dashes. */
  readonly name: string;
  readonly short?: string;
  /** The placeholder for the value in help, such as `FILE`. Absent for a flag. */
  readonly value?: string;
  readonly repeatable?: boolean;
  /** The allowed values. */
  readonly choices?: readonly string[];
  readonly help: string;
}

/** The options given on a command line. */
export interface OptionValues {
  has(name: string): boolean;
  /** The last value that was given. */
  value(name: string): string | undefined;
  values(name: string): readonly string[];
}

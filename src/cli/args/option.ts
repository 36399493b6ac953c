/** One option of a command. Parsing, help, documentation and completion are derived from it. */
export interface Option {
  /** Long name, without dashes. */
  readonly name: string;
  readonly short?: string;
  /** The placeholder for the value in help, such as `FILE`. Absent for a flag. */
  readonly value?: string;
  readonly repeatable?: boolean;
  /** True if one value may be a list, `a,b`. A list option is repeatable. */
  readonly list?: true;
  /** The allowed values. */
  readonly choices?: readonly string[];
  /** Choices that need a text behind `=`, such as `jsonpath=TEMPLATE`. */
  readonly textChoices?: readonly string[];
  /** For a flag that is always on: why `=false` is refused. */
  readonly alwaysOn?: string;
  /** True if help and completion leave the option out, because it is known only to be refused with advice. */
  readonly hidden?: true;
  readonly help: string;
}

/** The options given on a command line. */
export interface OptionValues {
  has(name: string): boolean;
  /** The last value that was given. */
  value(name: string): string | undefined;
  values(name: string): readonly string[];
}

/** One option of a command, as data: parsing, help, documentation and completion are all made from it. */
export interface Option {
  /** Long name, without dashes. */
  readonly name: string;
  readonly short?: string;
  /** What stands for its value in help: `FILE`. Absent: a flag. */
  readonly value?: string;
  readonly repeatable?: boolean;
  /** The values allowed. */
  readonly choices?: readonly string[];
  readonly help: string;
}

/** The options given on a command line. */
export interface OptionValues {
  has(name: string): boolean;
  /** The last one given. */
  value(name: string): string | undefined;
  values(name: string): readonly string[];
}

/** One candidate for the word at the cursor. */
export interface Candidate {
  readonly word: string;
  readonly help?: string;
}

/** All candidates for the word at the cursor. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** True if the shell should also complete file names. */
  readonly files: boolean;
}

export const NOTHING: Completion = { candidates: [], files: false };
export const FILES: Completion = { candidates: [], files: true };

/** The candidates that begin with the word, in order. */
export const beginning = (word: string, candidates: readonly Candidate[]): Completion => ({
  candidates: candidates.filter((candidate) => candidate.word.startsWith(word)),
  files: false,
});

/** Formats candidates for kubectl and the shell scripts: one on each line, with an optional tab and help text, and a directive number at the end. */
export function printCompletion({ candidates, files }: Completion): string {
  const isOpen = candidates.length > 0 && candidates.every(({ word }) => /[/=]$/.test(word));
  const lines = candidates.map(({ word, help }) => (help === undefined ? word : `${word}\t${help}`));
  const directive = (isOpen ? NO_SPACE : 0) + (files ? 0 : NO_FILES);
  return `${[...lines, `:${directive}`].join("\n")}\n`;
}

/** The directive numbers of cobra, the library that kubectl uses. */
const NO_SPACE = 2;
const NO_FILES = 4;

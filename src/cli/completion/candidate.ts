/** One word that could stand where the cursor is. */
export interface Candidate {
  readonly word: string;
  readonly help?: string;
}

/** What could stand where the cursor is. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Names of files, too: the shell knows them best. */
  readonly files: boolean;
}

export const NOTHING: Completion = { candidates: [], files: false };
export const FILES: Completion = { candidates: [], files: true };

/** The candidates that begin with the word, in order. */
export const beginning = (word: string, candidates: readonly Candidate[]): Completion => ({
  candidates: candidates.filter((candidate) => candidate.word.startsWith(word)),
  files: false,
});

/** What kubectl and the scripts read: a word on each line, maybe a tab and a help text, and at the end a number that says how to go on. */
export function printCompletion({ candidates, files }: Completion): string {
  const isOpen = candidates.length > 0 && candidates.every(({ word }) => /[/=]$/.test(word));
  const lines = candidates.map(({ word, help }) => (help === undefined ? word : `${word}\t${help}`));
  const directive = (isOpen ? NO_SPACE : 0) + (files ? 0 : NO_FILES);
  return `${[...lines, `:${directive}`].join("\n")}\n`;
}

/** The numbers are those of cobra, kubectl's library. */
const NO_SPACE = 2;
const NO_FILES = 4;

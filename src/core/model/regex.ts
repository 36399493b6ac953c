/** Matches a text against a regular expression, in time linear in the text. An invalid or too costly pattern gives an error state. */
export type MatchRegex = (
  pattern: string,
  text: string,
) => { readonly state: "value"; readonly matches: boolean } | { readonly state: "error"; readonly message: string };

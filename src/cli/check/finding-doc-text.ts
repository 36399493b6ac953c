import type { Printer } from "../print/terminal/create-printer.ts";
import { styled } from "../print/terminal/styled-text.ts";

/** Prints a section of `docs/findings.md`. Paragraphs are wrapped, examples are not. */
export function printFindingDoc(markdown: string, print: Printer): void {
  let isExample = false;
  let paragraph: string[] = [];
  const flush = (): void => {
    const text = paragraph.join(" ").replaceAll("**", "");
    const isItem = /^[-*] /.test(text);
    if (text !== "") print.paragraph(isItem ? { hanging: 2 } : {}, text);
    paragraph = [];
  };
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) {
      flush();
      isExample = !isExample;
    } else if (isExample) {
      print.line(`    ${line}`);
    } else if (line.startsWith("#")) {
      flush();
      print.line(styled(line.replace(/^#+ /, ""), "bold"));
    } else if (line === "") {
      flush();
      print.line();
    } else {
      if (/^[-*] /.test(line)) flush();
      paragraph.push(line.trim());
    }
  }
  flush();
}

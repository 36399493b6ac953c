import { expect, test } from "vitest";
import { bundleNotes } from "./certificate-source.ts";

test("an absent APIService is printed once, and once more when it has gone again", () => {
  const notes: string[] = [];
  const note = bundleNotes((message) => notes.push(message.split(" ").slice(0, 3).join(" ")));
  for (const outcome of ["absent", "absent", "written", "unchanged", "absent", "absent"] as const) note(outcome);
  expect(notes).toEqual(["there is no", "wrote the authority", "there is no"]);
});

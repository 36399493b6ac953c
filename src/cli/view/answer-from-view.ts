import type { CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printData } from "../print/data/print-data.ts";
import { printExplainView } from "./explain-text.ts";
import { parseEffectiveView, parseReachView } from "./parse-view.ts";
import { printReachView } from "./reach-text.ts";
import { beyondViewApi, isApi } from "./via-option.ts";

/** Undefined: the command reads the objects itself. */
export async function answerFromView(
  context: CommandContext,
  about: "Targets" | "Policies",
): Promise<ExitCode | undefined> {
  const { args, options, cluster, fail, failWith, note } = context;
  const isRequired = isApi(options);
  if (cluster === undefined)
    return isRequired && options.values("filename").length > 0
      ? fail("--via is about a cluster, and -f about files: leave one of them out")
      : undefined;
  const beyond = beyondViewApi(options);
  if (beyond !== undefined)
    return isRequired ? fail(`the view API does not have ${beyond}: leave out --via api, or ${beyond}`) : undefined;
  const [text, ...others] = args;
  if (text === undefined || others.length > 0) return undefined;
  const { askViewApi } = await import("./ask-view-api.ts");
  const namespace = options.has("all-namespaces") ? undefined : options.value("namespace");
  const answer = await askViewApi(cluster.client, { about, text, namespace });
  switch (answer.state) {
    case "found": {
      const isPrinted = print(answer.object, about, answer.sectionName, context);
      if (!isPrinted) break;
      cluster.client.close();
      note("from the view API of the cluster; --via direct reads the objects with your own rights");
      return exitCodes.ok;
    }
    case "absent":
      return isRequired
        ? failWith(exitCodes.input, "the view API (view.prevail.dev) is not installed in the cluster")
        : undefined;
    case "unnamed":
      return isRequired ? fail(`the view API is asked for one object: name it as KIND/NAME, not '${text}'`) : undefined;
    case "refused":
      if (isRequired) return failWith(exitCodes.input, answer.reason);
      // The command meets the same failure, and reports it.
      if (!answer.isOfApi) return undefined;
      note(`read with your own rights, because the view API has no answer: ${answer.reason}`);
      return undefined;
  }
  if (isRequired)
    return failWith(exitCodes.input, "the view API of the cluster is of another version than this program");
  note("read with your own rights, because the view API of the cluster is of another version than this program");
  return undefined;
}

/** False if the object is of another version. */
function print(
  object: Parameters<typeof parseEffectiveView>[0],
  about: "Targets" | "Policies",
  sectionName: string | undefined,
  { print: printer, output }: CommandContext,
): boolean {
  if (output === "json" || output === "yaml") {
    printData(printer, output, object);
    return true;
  }
  const wide = output === "wide";
  if (about === "Targets") {
    const view = parseEffectiveView(object);
    if (view !== undefined) printExplainView(view, { print: printer, wide, sectionName });
    return view !== undefined;
  }
  const view = parseReachView(object);
  if (view !== undefined) printReachView(view, { print: printer, wide });
  return view !== undefined;
}

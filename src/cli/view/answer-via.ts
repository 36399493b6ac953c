import type { CommandContext } from "../command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { isApi, isDirect } from "./via-option.ts";

/** Answers by the view API. Undefined: the command reads the objects itself. Without a cluster nothing is loaded for it. */
export async function answerVia(context: CommandContext, about: "Targets" | "Policies"): Promise<ExitCode | undefined> {
  if (isDirect(context.options) || (context.cluster === undefined && !isApi(context.options))) return undefined;
  const { answerFromView } = await import("./answer-from-view.ts");
  return answerFromView(context, about);
}

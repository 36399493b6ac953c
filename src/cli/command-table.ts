import type { LoadableCommand } from "./command.ts";

export type CommandEntry = LoadableCommand;

/** Every command but `help`, in the order of the list. Each is loaded only when it is called. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: "explain",
    summary: "what applies to an object, value by value, and why",
    load: () => import("./commands/explain.ts"),
  },
  {
    name: "get",
    summary: "tables of policies, targets, effective policies and definitions",
    load: () => import("./commands/get.ts"),
  },
  {
    name: "trace",
    summary: "what happens when a request comes in: listener, route, rule, backends, policies",
    load: () => import("./commands/trace.ts"),
  },
  {
    name: "reach",
    summary: "what a policy decides, and where it is overridden",
    load: () => import("./commands/reach.ts"),
  },
  {
    name: "plan",
    summary: "what would change if objects came, changed or went",
    load: () => import("./commands/plan.ts"),
  },
  {
    name: "check",
    summary: "what somebody should fix, and whether coverage rules hold",
    load: () => import("./commands/check.ts"),
  },
  {
    name: "graph",
    summary: "the topology with its policies, drawn",
    load: () => import("./commands/graph.ts"),
  },
  {
    name: "run",
    summary: "a gateway on this machine that does what the files say",
    load: () => import("./commands/run.ts"),
  },
  {
    name: "retries",
    summary: "a calculator: what retry and timeout settings come to",
    load: () => import("./commands/retries.ts"),
  },
  {
    name: "xds",
    summary: "Envoy as the gateway: what it is told, and what it is started with",
    load: () => import("./commands/xds.ts"),
  },
  {
    name: "completion",
    summary: "a script that completes commands, options and names in your shell",
    load: () => import("./commands/completion.ts"),
  },
  { name: "version", summary: "the version of this program", load: () => import("./commands/version.ts") },
];

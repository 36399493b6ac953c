import type { LoadableCommand } from "./command.ts";

export type CommandEntry = LoadableCommand;

/** Every command but `help`, in the order of the list. Each is loaded only when it is called. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: "explain",
    summary: "what applies to an object, value by value, and why",
    load: () => import("./explain/command.ts"),
  },
  {
    name: "get",
    summary: "tables of policies, targets, effective policies and definitions",
    load: () => import("./get/command.ts"),
  },
  {
    name: "trace",
    summary: "what happens when a request comes in: listener, route, rule, backends, policies",
    load: () => import("./trace/command.ts"),
  },
  {
    name: "reach",
    summary: "what a policy decides, and where it is overridden",
    load: () => import("./reach/command.ts"),
  },
  {
    name: "plan",
    summary: "what would change if objects came, changed or went",
    load: () => import("./plan/command.ts"),
  },
  {
    name: "check",
    summary: "what somebody should fix, and whether coverage rules hold",
    load: () => import("./check/command.ts"),
  },
  {
    name: "graph",
    summary: "the topology with its policies, drawn",
    load: () => import("./graph/command.ts"),
  },
  {
    name: "run",
    summary: "a gateway on this machine that does what the files say",
    load: () => import("./run/command.ts"),
  },
  {
    name: "retries",
    summary: "a calculator: what retry and timeout settings come to",
    load: () => import("./retries/command.ts"),
  },
  {
    name: "xds",
    summary: "Envoy as the gateway: what it is told, and what it is started with",
    load: () => import("./xds/command.ts"),
  },
  {
    name: "completion",
    summary: "a script that completes commands, options and names in your shell",
    load: () => import("./completion/command.ts"),
  },
  { name: "version", summary: "the version of this program", load: () => import("./version/command.ts") },
];

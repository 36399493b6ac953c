import type { LoadableCommand } from "./command.ts";

export type CommandEntry = LoadableCommand;

/** Every command except `help`, in the order of the help page. A command is loaded only when it is called. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: "explain",
    summary: "the effective policies of an object, and where each value comes from",
    load: () => import("./explain/command.ts"),
  },
  {
    name: "get",
    summary: "tables of policies, targets, effective policies and definitions",
    load: () => import("./get/command.ts"),
  },
  {
    name: "trace",
    summary: "the listener, route, rule, backends and policies of one request",
    load: () => import("./trace/command.ts"),
  },
  {
    name: "reach",
    summary: "where a policy takes effect, and where it is overridden",
    load: () => import("./reach/command.ts"),
  },
  {
    name: "status",
    summary: "the conditions that a controller would write into policies and their targets",
    load: () => import("./status/command.ts"),
  },
  {
    name: "plan",
    summary: "what would change if objects were created, changed or deleted",
    load: () => import("./plan/command.ts"),
  },
  {
    name: "how",
    summary: "the changes that make a setting take effect, the smallest reach first",
    load: () => import("./how/command.ts"),
  },
  {
    name: "check",
    summary: "findings with their fixes, and violated coverage rules",
    load: () => import("./check/command.ts"),
  },
  {
    name: "test",
    summary: "requests and what must happen to them, as PolicyTests beside the manifests",
    load: () => import("./test/command.ts"),
  },
  {
    name: "graph",
    summary: "the topology with its policies, as a tree or drawing",
    load: () => import("./graph/command.ts"),
  },
  {
    name: "run",
    summary: "a gateway on this machine, configured by the files",
    load: () => import("./run/command.ts"),
  },
  {
    name: "retries",
    summary: "the timeline that retry and timeout settings produce",
    load: () => import("./retries/command.ts"),
  },
  {
    name: "xds",
    summary: "Envoy as the gateway: an xDS server, its status, and Envoy configuration files",
    load: () => import("./xds/command.ts"),
  },
  {
    name: "controller",
    summary: "in a cluster: the status of policies, and kubectl get effectivepolicies",
    load: () => import("./controller/command.ts"),
  },
  {
    name: "define",
    summary: "a PolicyDefinition for a CRD, with what is guessed marked",
    load: () => import("./define/command.ts"),
  },
  {
    name: "completion",
    summary: "a script that completes commands, options and names in your shell",
    load: () => import("./completion/command.ts"),
  },
  { name: "version", summary: "the version of this program", load: () => import("./version/command.ts") },
];

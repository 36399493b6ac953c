import { objectAt, objectsIn, ownValue } from "../../core/model/json.ts";
import { groupIn } from "../../core/model/kube-object.ts";
import type { GroupKind } from "../../core/model/refs.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printData } from "../print/data/print-data.ts";
import { buildBundle } from "./build-bundle.ts";
import { createLog } from "./create-log.ts";
import { gatewayOptions } from "./gateway-settings.ts";
import { reportOptions } from "./report-settings.ts";
import { DEFAULT_ADMIN, DEFAULT_LISTEN, DEFAULT_SECRET, DEFAULT_SERVICE, parseControllerSettings } from "./settings.ts";
import { webhookOptions } from "./webhook-settings.ts";

export const command: Command = {
  usage: [
    "[--view-only] [--own KIND[.GROUP]] [--webhook ADDRESS:PORT] [--service NAMESPACE/NAME] [options]",
    "--support-bundle [options]",
  ],
  description: [
    "Runs in a cluster. It writes the status of policies and of the objects that they affect, and serves the view API.",
    "Status: each policy of the kinds that it owns has an entry for each ancestor with the conditions Accepted and Enforced; Gateways, listeners, ListenerSets, GatewayClasses and routes have conditions such as " +
      "prevail.dev/RetryPolicyAffected. Entries of other controllers are never changed. Of several replicas one writes: it owns a Lease. docs/controller.md has the rules; 'prevail status' computes the same words.",
    "The view API: kubectl get effectivepolicies shows what takes effect on each object, kubectl get policyreaches where each policy takes effect. " +
      "Nothing is stored: the objects are computed from the current state of the cluster when they are read. docs/view-api.md says how to install it.",
    "Users see the values that take effect on the objects of namespaces in which they may read effectivepolicies, and the names of the policies they come from. Of policies that they may not read, " +
      "values are shown only where the PolicyDefinition allows it.",
    "Only the API server can connect: its front proxy is known by its certificate. The controller makes its own certificate, keeps it in a Secret for all replicas, renews it, and puts its authority " +
      "into the APIService; with --tls-cert and --tls-key it uses files instead, and reads them again when they change.",
    "With --webhook it also serves admission webhooks: kubectl apply and kubectl delete print what is about to change. With --deny they refuse what a request makes worse: a spec that is newly Invalid, a " +
      "definition with an error, a CoverageRule with 'enforce: Deny' that is no longer met. docs/webhook.md says what is never refused, and how to install them.",
    "With --xds it implements Gateway API for the GatewayClasses that name --controller-name: Envoys that connect there are configured for their Gateway, and GatewayClasses, Gateways, ListenerSets, routes and BackendTLSPolicies " +
      "have the status of Gateway API. A Gateway is Programmed when an Envoy has acknowledged its configuration. With --dataplane embedded the embedded gateway serves them instead, in this process: nothing else is " +
      "needed, but it is for development. docs/gateways.md has the rules.",
    "--cleanup, with the rights of an administrator, before the controller is removed: it takes the Lease, so that replicas that still run write nothing again, deletes the APIService, then the webhook configurations and what runs the Envoys of Gateways, and withdraws " +
      "the controller's conditions, entries and annotations. With --dry-run it prints what it would do. Give it --controller-name, --own, --lease and --service as the controller has them.",
    "--support-bundle reads the cluster once, with your own rights, and prints JSON to attach to a report: versions, numbers of objects by kind, policies with their verdicts and targets, and the codes of findings and " +
      "caveats, and how many objects have a status that another writer resets. Names are replaced by handles that differ in each bundle; labels, annotations, hosts and values are not in it. Read it before you send it.",
    "The cluster is that of the Pod, or of the kubeconfig file. Metrics, health and readiness are at /metrics, /healthz and /readyz of the admin address.",
  ],
  options: [
    { name: "view-only", help: "serve the view API only, and write no status" },
    ...reportOptions,
    {
      name: "listen",
      value: "ADDRESS:PORT|off",
      help: `where the API server connects for the view API; 'off': it is not served (default: ${DEFAULT_LISTEN})`,
    },
    {
      name: "admin",
      value: "ADDRESS:PORT|off",
      help: `where metrics, health and readiness are (default: ${DEFAULT_ADMIN})`,
    },
    {
      name: "service",
      value: "NAMESPACE/NAME",
      help: `the Service that the APIService names (default: ${DEFAULT_SERVICE}, in the namespace of the Pod)`,
    },
    {
      name: "secret",
      value: "NAME",
      help: `the Secret for its own certificates, in the namespace of the Service (default: ${DEFAULT_SECRET})`,
    },
    {
      name: "redact-names",
      help: "show a handle instead of the namespace and the name of a policy that the user may not read, and in warnings of the webhooks instead of those of every other policy; 'reach ~HANDLE' finds the policy",
    },
    ...webhookOptions,
    ...gatewayOptions,
    { name: "tls-cert", value: "FILE", help: "use this certificate instead of its own" },
    { name: "tls-key", value: "FILE", help: "the private key of --tls-cert" },
    {
      name: "log-format",
      value: "FORMAT",
      choices: ["text", "json"],
      help: "what is logged to standard error: text, or a JSON object per line (default: text)",
    },
    {
      name: "cleanup",
      help: "take back everything that was written into the cluster, so that the controller can be removed, and end",
    },
    { name: "support-bundle", help: "print a bundle for a report, without names and values, and end" },
  ],
  takes: ["cluster"],
  outputs: [],
  examples: [
    { what: "In a Pod", line: "controller --service prevail-system/prevail-view" },
    { what: "Print what would be written, on this machine", line: "controller --dry-run --context test" },
    {
      what: "Serve Gateways with an Envoy that runs on this machine",
      line: "controller --xds 127.0.0.1:18000 --gateway-addresses 127.1.0.0/24 --context test",
    },
    {
      what: "Serve Gateways on this machine without Envoy",
      line: "controller --dataplane embedded --context test",
    },
    { what: "Serve the view API only", line: "controller --view-only --service prevail-system/prevail-view" },
    { what: "Before it is removed", line: "controller --cleanup --service prevail-system/prevail-view" },
    { what: "Something to attach to a report", line: "controller --support-bundle > bundle.json" },
  ],
  run: async (context) => {
    const { args, options, fail, io } = context;
    if (args.length > 0) return fail(`unexpected argument '${args[0] ?? ""}': controller takes options only`);
    if (options.has("support-bundle")) return printBundle(context);
    const settings = parseControllerSettings(options);
    if (typeof settings === "string") return fail(settings, context.seeHelp);
    const serve = await io.controller();
    return serve(settings, createLog(context));
  },
};

async function printBundle({ load, io, print, cluster }: CommandContext): Promise<ExitCode> {
  const source = await load();
  if (source === undefined) return exitCodes.failed;
  const platform = `${process.platform} ${process.arch}`;
  const [kubernetes, statusResets] = await Promise.all([serverVersion(cluster), readStatusResets(cluster)]);
  const facts = { version: io.version(), node: process.version, platform, kubernetes, statusResets };
  printData(print, "json", buildBundle(source, facts));
  return exitCodes.ok;
}

/** The version of the API server, which every user may ask for; undefined if it does not say. */
async function serverVersion(cluster: CommandContext["cluster"]): Promise<string | undefined> {
  const version = await cluster?.client.request({ path: "/version" }).catch(() => undefined);
  const found = version === undefined ? undefined : version["gitVersion"];
  return typeof found === "string" ? found : undefined;
}

const RESET_EVENTS = "/apis/events.k8s.io/v1/events?fieldSelector=reason%3DStatusReset&limit=500";

/** The kinds of the objects about which a controller has written that another writer resets their status; undefined if Events cannot be read. */
async function readStatusResets(cluster: CommandContext["cluster"]): Promise<readonly GroupKind[] | undefined> {
  const list = await cluster?.client.request({ path: RESET_EVENTS }).catch(() => undefined);
  if (list === undefined) return undefined;
  return objectsIn(ownValue(list, "items")).flatMap((event) => {
    const { apiVersion, kind } = objectAt(event, "regarding");
    if (typeof apiVersion !== "string" || typeof kind !== "string") return [];
    return [{ group: groupIn(apiVersion), kind }];
  });
}

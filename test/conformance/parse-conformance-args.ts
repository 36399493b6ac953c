/** The arguments of `npm run conformance`. */
import { parseArgs } from "node:util";
import { FAST_TESTS } from "./fast-tests.ts";

/** What serves the Gateways of the controller. */
export type ConformanceDataplane = keyof typeof FAST_TESTS;

export interface ConformanceOptions {
  readonly isHelp: boolean;
  readonly dataplane: ConformanceDataplane;
  /** Flags that are given to the suite. */
  readonly suiteFlags: readonly string[];
  /** Only these tests; undefined for every test of the claimed features. */
  readonly tests: readonly string[] | undefined;
  /** One Envoy for all Gateways, beside the Pods, instead of one for each that the controller runs. */
  readonly sharesEnvoy: boolean;
  /** Write the suite's report into `docs/conformance`. */
  readonly isReported: boolean;
  /** Run no test, and stay, so that one can look at the cluster. */
  readonly hold: boolean;
  /** Where the results are written as JSON. */
  readonly json: string | undefined;
  readonly logFile: string | undefined;
  /** Another implementation: a command, and the name of its GatewayClass. */
  readonly controller: string | undefined;
  readonly gatewayClass: string | undefined;
}

export const USAGE = `Usage: npm run conformance [-- [--dataplane embedded] [--fast | --tests NAME,…] [--report] [--hold] [--log FILE] [SUITE FLAG…]]

Runs Gateway API's conformance suite against the controller with Envoy or the embedded gateway, in a cluster on
this machine.

  --dataplane NAME   envoy, or embedded: the embedded gateway, in the process of the controller (default: envoy)
  --fast             a part of the tests: with Envoy one of each feature, in less than two minutes
  --tests NAME,…     only these tests
  --shared-envoy     one Envoy beside the Pods for all Gateways; without it the controller runs one for each
  --report           write the suite's report to docs/conformance: report.yaml, or report-embedded.yaml
  --hold             run no test: start everything, print how to enter the cluster, and stay
  --log FILE         keep what the suite logs
  --json FILE        write the results as JSON
  --controller COMMAND, --class NAME
                     test another implementation; COMMAND runs with KUBECONFIG

Arguments with one dash go to the suite, such as -run-test=HTTPRouteWeight, -all-features or
-exempt-features=Mesh.`;

/** A message if they are wrong. */
export function parseConformanceArgs(args: readonly string[]): ConformanceOptions | string {
  const isSuiteFlag = (arg: string): boolean => /^-[^-]/.test(arg);
  const read = (): ReturnType<typeof readOwn> | string => {
    try {
      return readOwn(args.filter((arg) => !isSuiteFlag(arg)));
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const values = read();
  if (typeof values === "string") return values;
  if (values.fast === true && values.tests !== undefined) return "--fast and --tests exclude each other";
  if ((values.controller === undefined) !== (values.class === undefined))
    return "--controller and --class need each other";
  const dataplane = values.dataplane ?? "envoy";
  if (dataplane !== "envoy" && dataplane !== "embedded") return `--dataplane is '${dataplane}': envoy or embedded`;
  if (values.dataplane !== undefined && values.controller !== undefined)
    return "--dataplane is about our own controller: leave out --controller";
  return {
    isHelp: values.help === true,
    dataplane,
    suiteFlags: args.filter(isSuiteFlag),
    tests: values.fast === true ? FAST_TESTS[dataplane] : values.tests?.split(","),
    sharesEnvoy: values["shared-envoy"] === true,
    isReported: values.report === true,
    hold: values.hold === true,
    json: values.json,
    logFile: values.log,
    controller: values.controller,
    gatewayClass: values.class,
  };
}

const readOwn = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean" },
      dataplane: { type: "string" },
      fast: { type: "boolean" },
      "shared-envoy": { type: "boolean" },
      tests: { type: "string" },
      report: { type: "boolean" },
      hold: { type: "boolean" },
      json: { type: "string" },
      log: { type: "string" },
      controller: { type: "string" },
      class: { type: "string" },
    },
  }).values;

import { formatRef, type ObjectRef, parseObjectId } from "../../model/refs.ts";
import type { GatewayTrace, MeshTrace, TracedBackend } from "../trace/result.ts";
import { type BackendText, type ExpectationCheck, isNamed, type TestCase } from "./policy-test.ts";

export type Trace = GatewayTrace | MeshTrace;

/** Compares the Gateway, listener, route, rule and backends of a request with what is expected. */
export function checkRouting(trace: Trace, { expected, field }: TestCase): readonly ExpectationCheck[] {
  const { gateway, listener, route, rule, backends } = expected;
  const check = (
    what: string,
    isMet: boolean,
    wanted: ExpectationCheck["expected"],
    actual: ExpectationCheck["actual"],
  ): ExpectationCheck => ({
    field: `${field}.expect.${what}`,
    what,
    isMet,
    expected: wanted,
    actual,
    reason: { about: "Routing" },
  });
  const winner = trace.outcome === "Routed" ? trace.winner : undefined;
  const taking = "gateway" in trace && trace.listener !== undefined ? trace.gateway : undefined;
  const taken = "gateway" in trace ? trace.listener?.name : undefined;
  return [
    ...(gateway === undefined
      ? []
      : [check("gateway", taking !== undefined && isNamed(gateway, taking), gateway.text, nameOf(taking))]),
    ...(listener === undefined ? [] : [check("listener", (taken ?? "none") === listener, listener, taken ?? "none")]),
    ...(route === undefined
      ? []
      : [
          route === "none"
            ? check("route", winner === undefined, "none", nameOf(winner?.route) ?? "none")
            : check(
                "route",
                winner !== undefined && isNamed(route, winner.route),
                route.text,
                nameOf(winner?.route) ?? "none",
              ),
        ]),
    ...(rule === undefined ? [] : [check("rule", winner?.rule === rule, rule, winner?.rule ?? null)]),
    ...(backends === undefined ? [] : [checkBackends(backends, trace, check)]),
  ];
}

const nameOf = (ref: ObjectRef | undefined): string | null => (ref === undefined ? null : formatRef(ref));

/** Backends that can be asked: those with a weight above 0 whose reference is not refused. */
export const usableBackends = (backends: readonly TracedBackend[]): readonly TracedBackend[] =>
  backends.filter(({ weight, refusal }) => weight > 0 && refusal === undefined);

function checkBackends(
  wanted: readonly BackendText[],
  trace: Trace,
  check: (
    what: string,
    isMet: boolean,
    expected: ExpectationCheck["expected"],
    actual: ExpectationCheck["actual"],
  ) => ExpectationCheck,
): ExpectationCheck {
  const found = trace.outcome === "Routed" && trace.response === undefined ? usableBackends(trace.backends) : [];
  const isMet =
    found.every((backend) => wanted.some((one) => isBackend(one, backend))) &&
    wanted.every((one) => found.some((backend) => isBackend(one, backend)));
  return check(
    "backends",
    isMet,
    wanted.map((one) => one.text),
    found.map(formatBackend),
  );
}

function isBackend({ namespace, name, port }: BackendText, backend: TracedBackend): boolean {
  const own = backend.object === undefined ? undefined : parseObjectId(backend.object).namespace;
  return (
    backend.name === name &&
    (port === undefined || backend.port === port) &&
    (namespace === undefined || own === namespace)
  );
}

function formatBackend({ name, port, object }: TracedBackend): string {
  const namespace = object === undefined ? "" : `${parseObjectId(object).namespace}/`;
  return `${namespace}${name}${port === undefined ? "" : `:${port}`}`;
}

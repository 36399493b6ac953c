/** Gateway API, "GatewayConditionProgrammed" */
import { describe, expect, test } from "vitest";
import { gateway, gatewayClass, listenerSet } from "../../../test/support/cluster/gateway-objects.ts";
import { evaluate } from "../../core/evaluate.ts";
import { worldOf } from "../../core/evaluation.ts";
import type { AssignedAddress } from "../../core/gateway-status/assign-addresses.ts";
import type { InfrastructureState } from "../../core/infrastructure/infrastructure-state.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { GATEWAY_API } from "../../core/model/kinds.ts";
import { objectId } from "../../core/model/refs.ts";
import { buildSnapshot } from "../../core/model/snapshot.ts";
import { builtInDefinitions } from "../../definitions/built-in-definitions.ts";
import { type EnvoyReport, GatewayStates } from "./gateway-states.ts";
import type { HeardReport } from "./replica-report.ts";

const OURS = "prevail.dev/gateway";
const id = objectId({ group: GATEWAY_API, kind: "Gateway", namespace: "default", name: "g" });
const programmed: JsonObject = { conditions: [{ type: "Programmed", status: "True" }] };

/** A Gateway in one generation, as the cluster has it. */
const worldIn = (
  generation: number,
  { status, sets = [] }: { status?: JsonObject; sets?: readonly JsonObject[] } = {},
) =>
  worldOf(
    evaluate(
      buildSnapshot([
        gatewayClass("class", OURS),
        { ...gateway("g", { generation }), ...(status === undefined ? {} : { status }) },
        ...sets,
      ]),
      { definitions: builtInDefinitions() },
    ),
  );

class Plane {
  nowMs = 0;
  given: EnvoyReport | undefined = { envoys: 1, current: 0, refusals: [] };
  address: AssignedAddress | undefined = { address: "192.0.2.1" };
  infrastructure: InfrastructureState | undefined;
  others: readonly HeardReport[] = [];
  readonly states = new GatewayStates({
    controllerName: OURS,
    acknowledgements: () => new Map(this.given === undefined ? [] : [["default/g", this.given]]),
    others: () => this.others,
    addressOf: () => this.address,
    infrastructureOf: () => this.infrastructure,
    monotonicMs: () => this.nowMs,
  });

  state(generation: number, more: Parameters<typeof worldIn>[1] = {}): string {
    return this.states.read(worldIn(generation, more))(id).state;
  }

  acknowledge(): void {
    this.given = { envoys: 1, current: 1, refusals: [] };
  }

  /** What this replica reports to the others when it serves this generation. */
  report(generation: number): HeardReport {
    return { gateways: this.states.report(worldIn(generation), [id]), isWhole: true };
  }
}

describe("Programmed follows acknowledgements", () => {
  test("a new Gateway is pending until an Envoy has acknowledged it", () => {
    const plane = new Plane();
    expect(plane.state(1)).toBe("Pending");
    plane.acknowledge();
    expect(plane.states.read(worldIn(1))(id)).toEqual({
      state: "Serving",
      addresses: [{ type: "IPAddress", value: "192.0.2.1" }],
    });
  });

  test("after an edit of the Gateway the condition stays until it is acknowledged; after an edit of a route it is true all the time", () => {
    const plane = new Plane();
    plane.acknowledge();
    expect(plane.state(1)).toBe("Serving");
    plane.given = { envoys: 1, current: 0, refusals: [] };
    expect(plane.state(1)).toBe("Serving");
    expect(plane.state(2)).toBe("Updating");
    plane.acknowledge();
    expect(plane.state(2)).toBe("Serving");
  });

  test("a ListenerSet is a part of its Gateway", () => {
    const plane = new Plane();
    plane.acknowledge();
    expect(plane.state(1)).toBe("Serving");
    plane.given = { envoys: 1, current: 0, refusals: [] };
    expect(plane.state(1, { sets: [listenerSet("more", "Gateway/g", { generation: 1 })] })).toBe("Updating");
  });

  test("after a restart of this process, and while Envoys are away for a short time, the condition stays", () => {
    const plane = new Plane();
    plane.given = { envoys: 0, current: 0, refusals: [] };
    expect(plane.state(1, { status: programmed })).toBe("Updating");
    plane.nowMs = 61_000;
    expect(plane.state(1, { status: programmed })).toBe("Pending");
  });

  test("an Envoy refuses a listener: the refusal names the port", () => {
    const plane = new Plane();
    const refused = { type: "Listener", name: "default/g:80", reason: "cannot bind" };
    plane.given = { envoys: 1, current: 1, refusals: [refused] };
    expect(plane.states.read(worldIn(1))(id)).toMatchObject({
      state: "Refused",
      ports: [80],
      message: "an Envoy refuses Listener default/g:80: cannot bind",
    });
    plane.given = { envoys: 1, current: 1, refusals: [refused, { ...refused, type: "Cluster", name: "shop/cart:80" }] };
    expect(plane.states.read(worldIn(1))(id)).toMatchObject({ ports: "All" });
  });

  test("a Gateway without a usable address, and one that is not served", () => {
    const plane = new Plane();
    plane.address = { problem: "taken" };
    expect(plane.state(1)).toBe("AddressNotUsable");
    plane.address = undefined;
    plane.given = undefined;
    expect(plane.state(1)).toBe("Pending");
  });
});

describe("Envoys that the controller runs", () => {
  const ready: InfrastructureState = { state: "Ready", addresses: [{ type: "Hostname", value: "lb.example" }] };
  const unready: InfrastructureState = { state: "Unready", message: "no Pod is ready" };
  const running = (infrastructure: InfrastructureState): Plane => {
    const plane = new Plane();
    plane.address = undefined;
    plane.infrastructure = infrastructure;
    plane.acknowledge();
    return plane;
  };

  test("a Gateway has the addresses of its Service", () => {
    expect(running(ready).states.read(worldIn(1))(id)).toEqual({ state: "Serving", addresses: ready.addresses });
  });

  test.each(["AddressNotAssigned", "AddressNotUsable"] as const)("%s is the state of the Gateway", (state) => {
    expect(running({ state, message: "why" }).states.read(worldIn(1))(id)).toEqual({ state, message: "why" });
  });

  test("an Envoy that has acknowledged and is not ready does not count; after one that was, the condition stays for a minute", () => {
    expect(running(unready).states.read(worldIn(1))(id)).toEqual({ state: "Pending", message: "no Pod is ready" });
    const plane = running(ready);
    expect(plane.state(1)).toBe("Serving");
    plane.infrastructure = unready;
    plane.nowMs = 59_000;
    expect(plane.state(1)).toBe("Updating");
    plane.nowMs = 61_000;
    expect(plane.state(1)).toBe("Pending");
  });
});

describe("Programmed follows acknowledgements across replicas", () => {
  const NO_ENVOYS: EnvoyReport = { envoys: 0, current: 0, refusals: [] };
  const refusal = { type: "Listener", name: "default/g:80", reason: "cannot bind" };

  /** A leader without Envoys, and a follower with one. */
  function replicas(): { readonly leader: Plane; readonly follower: Plane } {
    const [leader, follower] = [new Plane(), new Plane()];
    leader.given = NO_ENVOYS;
    return { leader, follower };
  }

  test("an Envoy of a follower acknowledges: for the generation that it has, and no other", () => {
    const { leader, follower } = replicas();
    leader.others = [follower.report(1)];
    expect(leader.state(1)).toBe("Pending");
    follower.acknowledge();
    leader.others = [follower.report(1)];
    expect(leader.state(1)).toBe("Serving");
    expect(leader.state(2)).toBe("Updating");
    leader.others = [follower.report(2)];
    expect(leader.state(2)).toBe("Serving");
  });

  test("an Envoy of a follower refuses: none may have refused", () => {
    const { leader, follower } = replicas();
    leader.acknowledge();
    follower.given = { envoys: 1, current: 1, refusals: [refusal] };
    leader.others = [follower.report(1)];
    expect(leader.states.read(worldIn(1))(id)).toMatchObject({ state: "Refused", ports: [80] });
    // The follower has not read the next generation yet: what it says is about the one before.
    expect(leader.state(2)).toBe("Serving");
    leader.others = [follower.report(2)];
    expect(leader.state(2)).toBe("Refused");
  });

  test("a follower that is gone, with what it had refused or acknowledged, does not count", () => {
    const { leader, follower } = replicas();
    leader.acknowledge();
    follower.given = { envoys: 1, current: 1, refusals: [refusal] };
    leader.others = [follower.report(1)];
    expect(leader.state(1)).toBe("Refused");
    leader.others = [];
    expect(leader.state(1)).toBe("Serving");
    leader.given = NO_ENVOYS;
    expect(leader.state(2)).toBe("Updating");
    leader.nowMs = 61_000;
    expect(leader.state(2)).toBe("Pending");
  });

  test("an edit of a route changes no report; an Envoy that goes does", () => {
    const { follower } = replicas();
    follower.acknowledge();
    const before = follower.report(1);
    expect([...before.gateways.values()]).toMatchObject([{ isAcknowledged: true, refusals: [] }]);
    follower.given = { envoys: 1, current: 0, refusals: [] };
    expect(follower.report(1)).toEqual(before);
    follower.given = NO_ENVOYS;
    expect(follower.report(1).gateways.size).toBe(0);
    // It comes back without anything.
    follower.given = { envoys: 1, current: 0, refusals: [] };
    expect([...follower.report(1).gateways.values()]).toMatchObject([{ isAcknowledged: false }]);
  });

  test("a replica with more Gateways than it can report: the state of those it left out is not known", () => {
    const { leader, follower } = replicas();
    const leftOut: HeardReport = { gateways: new Map(), isWhole: false };
    leader.others = [leftOut];
    expect(leader.states.read(worldIn(1))(id)).toMatchObject({
      state: "Unknown",
      message: expect.stringContaining("room to report"),
      addresses: [{ value: "192.0.2.1" }],
    });
    // What another replica says is known all the same.
    follower.acknowledge();
    leader.others = [leftOut, follower.report(1)];
    expect(leader.state(1)).toBe("Serving");
    // One that reports the Gateway, and leaves out others, has reported what it knows.
    follower.given = { envoys: 1, current: 0, refusals: [] };
    leader.others = [{ ...follower.report(2), isWhole: false }];
    leader.nowMs = 61_000;
    expect(leader.state(2)).toBe("Updating");
    leader.given = NO_ENVOYS;
    leader.others = [leftOut];
    leader.nowMs = 122_000;
    expect(leader.state(2)).toBe("Unknown");
  });
});

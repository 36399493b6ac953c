import { describe, expect, test } from "vitest";
import { scopeName } from "../../compile/resource-names.ts";
import { packed } from "../../protobuf.ts";
import { type EncodedResources, NO_RESOURCES } from "../encode/encode-resources.ts";
import type { EncodedResource } from "../encode/encoded-resource.ts";
import type { ResourceType } from "../encode/resource-type.ts";
import { type AcceptedVersions, createAcceptedVersions } from "./accepted-versions.ts";
import type { Refusal } from "./session-state.ts";
import { type SessionRequest, type SessionResponse, XdsSession } from "./xds-session.ts";

const resource = (name: string, version = "1", endpoints?: string): EncodedResource => ({
  name,
  version,
  any: packed("type", new Uint8Array()),
  endpoints,
});

type Wanted = Partial<Record<ResourceType, readonly EncodedResource[]>>;

function resources(wanted: Wanted): EncodedResources {
  const table = (type: ResourceType): ReadonlyMap<string, EncodedResource> =>
    new Map((wanted[type] ?? []).map((one) => [one.name, one]));
  return {
    Secret: table("Secret"),
    Cluster: table("Cluster"),
    Endpoints: table("Endpoints"),
    Listener: table("Listener"),
    Scope: table("Scope"),
    Route: table("Route"),
    VirtualHost: table("VirtualHost"),
  };
}

const LINGER_MS = 1000;

/** An Envoy that acknowledges only when the test makes it. */
function connect(wanted: Wanted, good: AcceptedVersions = createAcceptedVersions()) {
  const sent: SessionResponse[] = [];
  const refusals: Refusal[] = [];
  const now = { ms: 0 };
  const session = new XdsSession({
    wanted: resources(wanted),
    good,
    send: (response) => sent.push(response),
    onRefusal: (refusal) => refusals.push(refusal),
    nowMs: () => now.ms,
    lingerMs: LINGER_MS,
  });
  const receive = (type: ResourceType, more: Partial<SessionRequest> = {}): void =>
    session.receive({ type, subscribe: [], unsubscribe: [], held: new Map(), nonce: "", refusal: undefined, ...more });
  const nonces = new Map<ResourceType, string>();
  return {
    session,
    receive,
    /** Time goes by until clusters may go. */
    linger: (): void => {
      now.ms += LINGER_MS;
      session.retireLingering();
    },
    refusals,
    offer: (next: Wanted): void => session.offer(resources(next)),
    /** What came since the last time: `Cluster +a@1 -b`. */
    take: (): readonly string[] =>
      sent.splice(0).map(({ type, nonce, resources: added, removed }) => {
        nonces.set(type, nonce);
        const names = [
          ...added.map(({ name, version }) => `+${name}@${version}`),
          ...removed.map((name) => `-${name}`),
        ];
        return [type, ...names].join(" ");
      }),
    /** Acknowledges the last response that was taken. */
    ack: (type: ResourceType, refusal?: string): void => receive(type, { nonce: nonces.get(type) ?? "", refusal }),
  };
}

const cluster = (name: string, version = "1"): EncodedResource => resource(name, version, `${name}-endpoints`);
const BREAD: Wanted = {
  Cluster: [cluster("bread")],
  Endpoints: [resource("bread-endpoints")],
  Listener: [resource("http")],
  Route: [resource("routes")],
  VirtualHost: [resource("routes/a.example")],
};

/** As a real Envoy does when it starts. */
function boot(wanted: Wanted, good?: AcceptedVersions): ReturnType<typeof connect> {
  const envoy = connect(wanted, good);
  envoy.receive("Cluster");
  envoy.take();
  envoy.receive("Endpoints", { subscribe: (wanted.Endpoints ?? []).map(({ name }) => name) });
  envoy.take();
  for (const type of ["Cluster", "Endpoints"] as const) envoy.ack(type);
  envoy.receive("Listener");
  envoy.take();
  envoy.receive("Route", { subscribe: ["routes"] });
  envoy.take();
  for (const type of ["Listener", "Route"] as const) envoy.ack(type);
  envoy.take();
  envoy.receive("VirtualHost");
  envoy.take();
  envoy.ack("VirtualHost");
  for (let round = 0; round < 4; round++) {
    envoy.take();
    for (const type of ["Endpoints", "VirtualHost"] as const) envoy.ack(type);
  }
  return envoy;
}

describe("subscriptions", () => {
  test("each type gets the resources that exist", () => {
    const envoy = connect(BREAD);
    envoy.receive("Cluster");
    expect(envoy.take()).toEqual(["Cluster +bread@1"]);
    envoy.receive("Endpoints", { subscribe: ["bread-endpoints"] });
    expect(envoy.take()).toEqual(["Endpoints +bread-endpoints@1"]);
  });

  test("an Envoy that requests all resources gets a response, also where there are none", () => {
    const envoy = connect({});
    envoy.receive("Cluster");
    expect(envoy.take()).toEqual(["Cluster"]);
  });

  test("a resource that is requested by name and does not exist is reported as removed", () => {
    const envoy = connect({});
    envoy.receive("Route", { subscribe: ["gone"] });
    expect(envoy.take()).toEqual(["Route -gone"]);
  });

  test("an Envoy that comes back gets only what has changed meanwhile, and loses what has gone", () => {
    const envoy = connect({ Cluster: [resource("same"), resource("changed", "2")] });
    const held = new Map([
      ["same", "1"],
      ["changed", "1"],
      ["gone", "1"],
    ]);
    envoy.receive("Cluster", { held });
    expect(envoy.take()).toEqual(["Cluster +changed@2"]);
    envoy.ack("Cluster");
    envoy.linger();
    expect(envoy.take()).toEqual(["Cluster -gone"]);
  });

  test("an Envoy that comes back gets the endpoints of new clusters again, and routes to them only then", () => {
    const envoy = connect({
      Cluster: [cluster("bread"), resource("bread-retried", "1", "bread-endpoints")],
      Endpoints: [resource("bread-endpoints")],
      Route: [resource("routes")],
      VirtualHost: [resource("routes/a.example", "2")],
    });
    envoy.receive("Cluster", { held: new Map([["bread", "1"]]) });
    expect(envoy.take()).toEqual(["Cluster +bread-retried@1"]);
    envoy.receive("Endpoints", { subscribe: ["bread-endpoints"], held: new Map([["bread-endpoints", "1"]]) });
    expect(envoy.take()).toEqual(["Endpoints +bread-endpoints@1"]);
    envoy.receive("Route", { subscribe: ["routes"], held: new Map([["routes", "1"]]) });
    envoy.receive("VirtualHost", { held: new Map([["routes/a.example", "1"]]) });
    envoy.ack("Cluster");
    expect(envoy.take()).toEqual([]);
    envoy.ack("Endpoints");
    expect(envoy.take()).toEqual(["VirtualHost +routes/a.example@2"]);
  });

  test("an Envoy that comes back while clusters wait for endpoints gets those, and routes only when it has asked for clusters", () => {
    const envoy = connect({
      Cluster: [cluster("bread"), resource("bread-retried", "1", "bread-endpoints")],
      Endpoints: [resource("bread-endpoints")],
      Route: [resource("routes")],
      VirtualHost: [resource("routes/a.example", "2")],
    });
    envoy.receive("Endpoints", { subscribe: ["bread-endpoints"], held: new Map([["bread-endpoints", "1"]]) });
    expect(envoy.take()).toEqual(["Endpoints +bread-endpoints@1"]);
    envoy.receive("Route", { subscribe: ["routes"], held: new Map([["routes", "1"]]) });
    envoy.receive("VirtualHost", { held: new Map([["routes/a.example", "1"]]) });
    envoy.ack("Endpoints");
    expect(envoy.take()).toEqual([]);
    envoy.receive("Cluster", { held: new Map([["bread", "1"]]) });
    expect(envoy.take()).toEqual(["Cluster +bread-retried@1", "Endpoints +bread-endpoints@1"]);
    envoy.ack("Cluster");
    expect(envoy.take()).toEqual([]);
    envoy.ack("Endpoints");
    expect(envoy.take()).toEqual(["VirtualHost +routes/a.example@2"]);
  });

  test("an Envoy that comes back keeps the endpoints of a cluster that is not used any more until its routes have changed", () => {
    const both: Wanted = {
      ...BREAD,
      Cluster: [cluster("bread"), cluster("cake")],
      Endpoints: [resource("bread-endpoints"), resource("cake-endpoints")],
    };
    expect(boot(both).session.isSettled()).toBe(true);
    // A new server does not know the endpoints of cake, which routes use until they are replaced.
    const envoy = connect({ ...BREAD, Route: [resource("routes", "2")] });
    const held = (...names: readonly string[]) => new Map(names.map((name) => [name, "1"]));
    envoy.receive("Cluster", { held: held("bread", "cake") });
    const endpoints = ["bread-endpoints", "cake-endpoints"];
    envoy.receive("Endpoints", { subscribe: endpoints, held: held(...endpoints) });
    expect(envoy.take()).toEqual(["Endpoints +bread-endpoints@1 -cake-endpoints"]);
    envoy.ack("Endpoints");
    envoy.receive("Listener", { held: held("http") });
    envoy.receive("Route", { subscribe: ["routes"], held: held("routes") });
    expect(envoy.take()).toEqual(["Route +routes@2"]);
    envoy.ack("Route");
    envoy.receive("VirtualHost", { held: held("routes/a.example") });
    envoy.linger();
    expect(envoy.take()).toContain("Cluster -cake");
    envoy.ack("Cluster");
    envoy.receive("Endpoints", { unsubscribe: ["cake-endpoints"] });
    expect(envoy.session.isCurrent()).toBe(true);
  });

  test("nothing is sent twice, and nothing before the last response is acknowledged", () => {
    const envoy = connect({ Cluster: [cluster("bread")] });
    envoy.receive("Cluster");
    envoy.take();
    envoy.offer({ Cluster: [cluster("bread", "2")] });
    envoy.offer({ Cluster: [cluster("bread", "3")] });
    expect(envoy.take()).toEqual([]);
    envoy.ack("Cluster");
    expect(envoy.take()).toEqual(["Cluster +bread@3"]);
    envoy.ack("Cluster");
    expect(envoy.take()).toEqual([]);
  });

  test("a message about an older response acknowledges nothing", () => {
    const envoy = connect({ Cluster: [cluster("bread")] });
    envoy.receive("Cluster");
    envoy.take();
    envoy.receive("Cluster", { nonce: "0" });
    expect(envoy.session.isSettled()).toBe(false);
    envoy.ack("Cluster");
    expect(envoy.session.isSettled()).toBe(true);
  });
});

describe("make before break", () => {
  const CAKE: Wanted = {
    ...BREAD,
    Cluster: [cluster("cake")],
    Endpoints: [resource("cake-endpoints")],
    VirtualHost: [resource("routes/a.example", "2")],
  };

  test("a new cluster and its endpoints are taken before a route points there; the old one goes last", () => {
    const envoy = boot(BREAD);
    expect(envoy.session.isSettled()).toBe(true);
    envoy.offer(CAKE);
    expect(envoy.take()).toEqual(["Cluster +cake@1"]);
    envoy.receive("Endpoints", { subscribe: ["cake-endpoints"] });
    expect(envoy.take()).toEqual(["Endpoints +cake-endpoints@1"]);
    envoy.ack("Cluster");
    expect(envoy.take()).toEqual([]);
    envoy.ack("Endpoints");
    expect(envoy.take()).toEqual(["VirtualHost +routes/a.example@2"]);
    envoy.ack("VirtualHost");
    expect(envoy.take()).toEqual([]);
    envoy.linger();
    expect(envoy.take()).toEqual(["Cluster -bread"]);
    envoy.ack("Cluster");
    expect(envoy.session.isSettled()).toBe(true);
  });

  test("a cluster that has only just come stays for a while", () => {
    const envoy = boot(BREAD);
    envoy.linger();
    envoy.offer(CAKE);
    envoy.take();
    envoy.ack("Cluster");
    envoy.offer(BREAD);
    envoy.session.stopAwaiting();
    expect([envoy.session.isSettled(), envoy.take()]).toEqual([true, []]);
    envoy.linger();
    expect(envoy.take()).toEqual(["Cluster -cake"]);
  });

  test("endpoints that never come do not delay routes for ever", () => {
    const envoy = boot(BREAD);
    envoy.offer(CAKE);
    envoy.take();
    envoy.ack("Cluster");
    expect(envoy.take()).toEqual([]);
    expect(envoy.session.isAwaiting).toBe(true);
    envoy.session.stopAwaiting();
    expect(envoy.take()).toEqual(["VirtualHost +routes/a.example@2"]);
  });

  test("endpoints travel alone", () => {
    const envoy = boot(BREAD);
    envoy.offer({ ...BREAD, Endpoints: [resource("bread-endpoints", "2")] });
    expect(envoy.take()).toEqual(["Endpoints +bread-endpoints@2"]);
  });

  test("a cluster that changes gets its endpoints again: Envoy does not ask twice", () => {
    const envoy = boot(BREAD);
    envoy.offer({ ...BREAD, Cluster: [cluster("bread", "2")] });
    // At once: Envoy acknowledges clusters only when they have their endpoints.
    expect(envoy.take()).toEqual(["Cluster +bread@2", "Endpoints +bread-endpoints@1"]);
  });

  test("virtual hosts of a route configuration that is new come after it", () => {
    const envoy = boot(BREAD);
    envoy.offer({
      ...BREAD,
      Listener: [resource("http"), resource("more")],
      Route: [resource("routes"), resource("more")],
      VirtualHost: [resource("routes/a.example"), resource("more/b.example")],
    });
    expect(envoy.take()).toEqual(["Listener +more@1"]);
    envoy.receive("Route", { subscribe: ["more"] });
    expect(envoy.take()).toEqual(["Route +more@1"]);
    envoy.ack("Listener");
    envoy.ack("Route");
    expect(envoy.take()).toEqual(["VirtualHost +more/b.example@1"]);
  });
});

describe("refusals", () => {
  const two = (version: string): Wanted => ({ Cluster: [cluster("good", version), cluster("bad", version)] });

  test("what is refused goes back to its last good version, and the others go on", () => {
    const envoy = connect(two("1"));
    envoy.receive("Cluster");
    envoy.take();
    envoy.ack("Cluster");
    envoy.offer(two("2"));
    envoy.take();
    envoy.ack("Cluster", "Error adding/updating cluster(s) bad: no such thing");
    expect(envoy.take()).toEqual(["Cluster +good@2"]);
    envoy.ack("Cluster");
    expect(envoy.take()).toEqual([]);
    expect(envoy.session.collectRefusals()).toMatchObject([{ type: "Cluster", name: "bad", version: "2" }]);
    expect(envoy.refusals).toHaveLength(1);
  });

  test("a fresh Envoy gets the last version that another one took", () => {
    const good = createAcceptedVersions();
    const first = connect(two("1"), good);
    first.receive("Cluster");
    first.take();
    first.ack("Cluster");
    const fresh = connect(two("2"), good);
    fresh.receive("Cluster");
    fresh.take();
    fresh.ack("Cluster", "bad: no such thing");
    expect(fresh.take()).toEqual(["Cluster +good@2 +bad@1"]);
  });

  test("where the reason names no resource, batches become smaller until the invalid one is alone", () => {
    const names = ["a", "b", "c", "d"];
    const envoy = connect({ Secret: names.map((name) => resource(name)) });
    envoy.receive("Secret", { subscribe: names });
    envoy.take();
    envoy.ack("Secret", "something is wrong");
    expect(envoy.take()).toEqual(["Secret +a@1 +b@1"]);
    envoy.ack("Secret");
    expect(envoy.take()).toEqual(["Secret +c@1 +d@1"]);
    envoy.ack("Secret", "something is wrong");
    expect(envoy.take()).toEqual(["Secret +c@1"]);
    envoy.ack("Secret", "something is wrong");
    expect(envoy.take()).toEqual(["Secret +d@1"]);
    envoy.ack("Secret");
    expect(envoy.take()).toEqual([]);
    expect(envoy.session.collectRefusals()).toMatchObject([{ name: "c" }]);
  });

  test("where the reason names no resource, each of two is sent alone", () => {
    const envoy = connect(two("1"));
    envoy.receive("Cluster");
    envoy.take();
    envoy.ack("Cluster", "something is wrong");
    expect(envoy.take()).toEqual(["Cluster +good@1"]);
    envoy.ack("Cluster");
    expect(envoy.take()).toEqual(["Cluster +bad@1"]);
    envoy.ack("Cluster", "something is wrong");
    expect(envoy.take()).toEqual([]);
    expect(envoy.session.collectRefusals()).toMatchObject([{ name: "bad" }]);
    expect(envoy.session.isSettled()).toBe(true);
  });

  test("a name that begins with another is not taken for it", () => {
    const hosts = ["routes/a.example", "routes/a.example.org"];
    const envoy = boot({ ...BREAD, VirtualHost: hosts.map((name) => resource(name)) });
    envoy.offer({ ...BREAD, VirtualHost: hosts.map((name) => resource(name, "2")) });
    envoy.take();
    envoy.ack("VirtualHost", "routes/a.example.org: bad");
    expect(envoy.refusals.map(({ name }) => name)).toEqual(["routes/a.example.org"]);
    expect(envoy.take()).toEqual(["VirtualHost +routes/a.example@2"]);
  });

  test.each<[string, Wanted]>([
    ["is taken back", BREAD],
    ["is gone", { ...BREAD, VirtualHost: [] }],
  ])("what was refused and %s is refused no longer", (_, next) => {
    const envoy = boot(BREAD);
    envoy.offer({ ...BREAD, VirtualHost: [resource("routes/a.example", "2")] });
    envoy.take();
    envoy.ack("VirtualHost", "bad");
    expect(envoy.session.collectRefusals()).toHaveLength(1);
    envoy.offer(next);
    expect(envoy.session.collectRefusals()).toEqual([]);
  });

  test("what was refused and is asked for no longer, as hosts travel in the other way, is refused no longer", () => {
    const envoy = boot({ ...BREAD, Route: [resource("routes"), resource("routes/a.example")] });
    envoy.receive("Route", { subscribe: ["routes/a.example"] });
    envoy.take();
    envoy.ack("Route", "bad");
    expect(envoy.session.collectRefusals()).toHaveLength(1);
    envoy.receive("Route", { unsubscribe: ["routes/a.example"] });
    expect(envoy.session.collectRefusals()).toEqual([]);
  });

  test("a version that was refused is not sent again when it comes back", () => {
    const envoy = boot(BREAD);
    const bad = { ...BREAD, VirtualHost: [resource("routes/a.example", "2")] };
    envoy.offer(bad);
    envoy.take();
    envoy.ack("VirtualHost", "bad");
    envoy.offer(BREAD);
    envoy.offer(bad);
    expect(envoy.take()).toEqual([]);
    expect(envoy.session.collectRefusals()).toHaveLength(1);
  });

  test("a fixed version is offered again, and the refusal forgotten once it is taken", () => {
    const envoy = connect(two("1"));
    envoy.receive("Cluster");
    envoy.take();
    envoy.ack("Cluster", "bad");
    envoy.take();
    envoy.ack("Cluster");
    envoy.offer({ Cluster: [cluster("good"), cluster("bad", "2")] });
    expect(envoy.take()).toEqual(["Cluster +bad@2"]);
    envoy.ack("Cluster");
    expect(envoy.session.collectRefusals()).toEqual([]);
  });
});

describe("hosts with a scope each", () => {
  const A = "routes/a.example";
  const B = "routes/b.example";
  const SCOPES = "xdstp:///envoy.config.route.v3.ScopedRouteConfiguration/routes/*";
  /** In both forms, as they are always there. */
  const hosts = (...names: readonly string[]): Wanted => ({
    Listener: [resource("http")],
    Scope: names.map((name) => resource(scopeName(name))),
    Route: ["routes", ...names].map((name) => resource(name)),
    VirtualHost: names.map((name) => resource(name)),
  });
  const start = (...names: readonly string[]): ReturnType<typeof connect> => {
    const envoy = connect(hosts(...names));
    envoy.receive("Cluster");
    envoy.receive("Listener");
    envoy.take();
    envoy.ack("Cluster");
    envoy.receive("Scope", { subscribe: [SCOPES] });
    envoy.ack("Listener");
    return envoy;
  };
  const settle = (envoy: ReturnType<typeof connect>, ...names: readonly string[]): void => {
    envoy.take();
    envoy.receive("Route", { subscribe: names });
    envoy.ack("Scope");
    envoy.take();
    envoy.ack("Route");
    expect(envoy.session.isSettled()).toBe(true);
  };

  test("an Envoy that requests the scopes of a port gets them, and the routes that it then requests; no virtual hosts", () => {
    const envoy = start(A, B);
    expect(envoy.take()).toEqual([`Scope +${scopeName(A)}@1 +${scopeName(B)}@1`]);
    expect(envoy.session.isSettled()).toBe(false);
    envoy.receive("Route", { subscribe: [A, B] });
    expect(envoy.take()).toEqual([`Route +${A}@1 +${B}@1`]);
    envoy.ack("Scope");
    envoy.ack("Route");
    expect(envoy.take()).toEqual([]);
    expect(envoy.session.isSettled()).toBe(true);
  });

  test("where there are no hosts, the scopes are reported as removed", () => {
    expect(start().take()).toEqual([`Scope -${SCOPES}`]);
  });

  test("routes that change are sent alone", () => {
    const envoy = start(A, B);
    settle(envoy, A, B);
    envoy.offer({ ...hosts(A, B), Route: [resource("routes"), resource(A), resource(B, "2")] });
    expect(envoy.take()).toEqual([`Route +${B}@2`]);
  });

  test("a host comes with its scope, and goes with it", () => {
    const envoy = start(A);
    settle(envoy, A);
    envoy.offer(hosts(A, B));
    expect(envoy.take()).toEqual([`Scope +${scopeName(B)}@1`]);
    envoy.receive("Route", { subscribe: [B] });
    expect(envoy.take()).toEqual([`Route +${B}@1`]);
    envoy.ack("Scope");
    envoy.ack("Route");
    envoy.offer(hosts(B));
    expect(envoy.take()).toEqual([`Scope -${scopeName(A)}`]);
    envoy.receive("Route", { unsubscribe: [A] });
    envoy.ack("Scope");
    expect(envoy.take()).toEqual([]);
    expect(envoy.session.isSettled()).toBe(true);
  });

  test("one that comes back does not say which scopes it has: those of hosts that have gone meanwhile go too", () => {
    const envoy = connect(hosts(B));
    envoy.receive("Cluster");
    envoy.receive("Listener", { held: new Map([["http", "1"]]) });
    envoy.receive("Scope", { subscribe: [SCOPES] });
    const held = new Map([A, B].map((name) => [name, "1"]));
    envoy.receive("Route", { subscribe: [A, B], held });
    expect(envoy.take()).toEqual(["Cluster", `Scope +${scopeName(B)}@1`]);
    envoy.ack("Cluster");
    envoy.ack("Scope");
    expect(envoy.take()).toEqual([`Scope -${scopeName(A)}`]);
  });

  test("virtual hosts are those of route configurations that it has asked for", () => {
    const envoy = connect({
      ...hosts(A),
      Route: [resource("routes"), resource("others")],
      VirtualHost: [resource(A), resource("others/a.example")],
    });
    envoy.receive("Route", { subscribe: ["others"] });
    envoy.take();
    envoy.ack("Route");
    envoy.receive("VirtualHost");
    expect(envoy.take()).toEqual(["VirtualHost +others/a.example@1"]);
  });
});

test("a gateway that is gone takes everything with it", () => {
  const envoy = boot(BREAD);
  envoy.linger();
  envoy.session.offer(NO_RESOURCES);
  const seen: string[] = [];
  for (let round = 0; round < 5; round++) {
    for (const line of envoy.take()) {
      seen.push(line);
      if (line.startsWith("VirtualHost")) envoy.ack("VirtualHost");
      if (line.startsWith("Listener")) envoy.ack("Listener");
      if (line.startsWith("Cluster")) envoy.ack("Cluster");
    }
  }
  expect(seen).toEqual(["VirtualHost -routes/a.example", "Listener -http", "Cluster -bread"]);
});

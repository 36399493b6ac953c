import { describe, expect, test } from "vitest";
import type { EndpointsId } from "../../core/dataplane/gateway-config.ts";
import { PASSIVE_HEALTH } from "../../core/dataplane/passive-health.ts";
import { createEndpointHealth } from "./endpoint-health.ts";

const ID = "bakery/baker:80" as EndpointsId;
const endpoint = (port: number) => ({ address: "127.0.0.1", port });
const [A, B, C] = [endpoint(1), endpoint(2), endpoint(3)];
const { failures, outMs, mostOutMs } = PASSIVE_HEALTH;

function start(endpoints = [A, B]) {
  let now = 0;
  const health = createEndpointHealth({ nowMs: () => now });
  const fail = (one: typeof A, times: number = failures): void => {
    for (let time = 0; time < times; time++) health.record(ID, endpoints, one, true);
  };
  return {
    fail,
    health,
    pass: (ms: number) => (now += ms),
    respond: (one: typeof A) => health.record(ID, endpoints, one, false),
    out: () => endpoints.filter((one) => health.isOut(ID, one)).map(({ port }) => port),
  };
}

describe("an endpoint", () => {
  test("is out after three failures in a row, and not after two", () => {
    const { fail, out } = start();
    fail(A, failures - 1);
    expect(out()).toEqual([]);
    fail(A, 1);
    expect(out()).toEqual([1]);
  });

  test("is not out if it responds in between", () => {
    const { fail, respond, out } = start();
    for (let time = 0; time < 5; time++) {
      fail(A, failures - 1);
      respond(A);
    }
    expect(out()).toEqual([]);
  });

  test("is out for longer each time in a row, up to a limit, and as at first once it has responded", () => {
    const { fail, respond, pass, out } = start();
    const outFor = (): number => {
      fail(A);
      let ms = 0;
      for (; out().length > 0; ms += 1000) pass(1000);
      return ms;
    };
    expect(Array.from({ length: 8 }, outFor)).toEqual([1, 2, 3, 4, 5, 6, 6, 6].map((times) => times * outMs));
    expect(6 * outMs).toBe(mostOutMs);
    respond(A);
    expect(outFor()).toBe(outMs);
  });
});

describe("at most half of the endpoints are out", () => {
  test("of two", () => {
    const { fail, out } = start();
    fail(A);
    fail(B, 10);
    expect(out()).toEqual([1]);
  });

  test("of three", () => {
    const { fail, out } = start([A, B, C]);
    fail(A);
    fail(B, 10);
    expect(out()).toEqual([1]);
  });

  test("of one: never", () => {
    const { fail, out } = start([A]);
    fail(A, 10);
    expect(out()).toEqual([]);
  });

  test("another may be out when the first is in again", () => {
    const { fail, out, pass } = start();
    fail(A);
    fail(B);
    pass(outMs);
    fail(B, 1);
    expect(out()).toEqual([2]);
  });
});

test("endpoints that did not fail for a while are forgotten", () => {
  const { fail, health, pass, out } = start();
  fail(A, failures - 1);
  pass(3 * mostOutMs);
  health.sweep();
  fail(A, failures - 1);
  expect(out()).toEqual([]);
});

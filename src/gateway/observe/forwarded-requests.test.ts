import { expect, test } from "vitest";
import {
  backend,
  backendConfig,
  gatewayConfig,
  gatewayRef,
  route,
  rule as ruleOf,
} from "../../../test/support/gateway/gateway-configs.ts";
import { createForwardedRequests } from "./forwarded-requests.ts";

const MINUTE_MS = 60_000;

/** Counters at a time that the test sets, and a configuration that forwards to these backends. */
function counters({ most }: { readonly most?: number } = {}) {
  let nowMs = 0;
  const requests = createForwardedRequests(() => nowMs, most);
  const configs = new Map<string, ReturnType<typeof backendConfig>>();
  const text = (): string => requests.families.map(({ render }) => render().replaceAll(/^#.*\n/gm, "")).join("");
  return {
    count: (name: string, times = 1): void => {
      const config = configs.get(name) ?? backendConfig(name);
      configs.set(name, config);
      requests.add(requests.of(gatewayRef, RULE, config), "NotRetried", times);
    },
    serve: (...names: readonly string[]): void =>
      requests.use({ gateways: [gatewayConfig([route(ruleOf(names.map((name) => backend(name))))])] }),
    after: (minutes: number): void => {
      nowMs += minutes * MINUTE_MS;
    },
    /** Requests without a retry by backend, as a scrape sees them. */
    scrape: (): Readonly<Record<string, number>> =>
      Object.fromEntries(
        [...text().matchAll(/backend="bakery\/(\w+):80",retry="none"\} (\d+)/g)].map(([, name, count]) => [
          name ?? "",
          Number(count),
        ]),
      ),
    series: (): number =>
      text()
        .split("\n")
        .filter((line) => line.includes("{")).length,
    uncounted: (): number => Number(/^prevail_forwarded_requests_uncounted_total (\d+)$/m.exec(text())?.[1]),
  };
}

const RULE = ruleOf([]);

test("a backend that is gone is scraped for ten more minutes, and then forgotten with all its series", () => {
  const { serve, count, after, scrape, series } = counters();
  serve("bread", "cake");
  count("bread", 3);
  count("cake");
  serve("bread");
  after(1);
  expect(scrape()).toEqual({ bread: 3, cake: 1 });
  after(9);
  expect(scrape()).toEqual({ bread: 3, cake: 1 });
  after(1);
  expect(scrape()).toEqual({ bread: 3 });
  expect(series()).toBe(3);
});

test("one without requests that is still served is kept", () => {
  const { serve, count, after, scrape } = counters();
  serve("bread");
  count("bread");
  after(1);
  scrape();
  after(600);
  expect(scrape()).toEqual({ bread: 1 });
});

test("one that comes back in time is kept; later it begins at zero", () => {
  const { serve, count, after, scrape } = counters();
  serve("bread");
  count("bread", 5);
  serve();
  after(1);
  scrape();
  serve("bread");
  after(5);
  scrape();
  serve();
  after(9);
  scrape();
  after(9);
  count("bread");
  expect(scrape()).toEqual({ bread: 6 });
  after(2);
  expect(scrape()).toEqual({});
  serve("bread");
  count("bread");
  expect(scrape()).toEqual({ bread: 1 });
});

test("at the limit those that are gone make room, and further requests are only added up", () => {
  const { serve, count, after, scrape, uncounted } = counters({ most: 2 });
  serve("bread", "cake", "pie");
  count("bread");
  count("cake");
  count("pie", 4);
  expect(scrape()).toEqual({ bread: 1, cake: 1 });
  expect(uncounted()).toBe(4);
  serve("cake", "pie");
  after(2);
  count("pie", 2);
  expect(scrape()).toEqual({ cake: 1, pie: 2 });
  expect(uncounted()).toBe(4);
});

test("there is room also where scrapes have just looked for what is gone", () => {
  const { serve, count, after, scrape } = counters({ most: 1 });
  serve("bread");
  count("bread");
  for (const next of ["cake", "pie"]) {
    serve(next);
    after(1);
    scrape();
    count(next);
    expect(scrape()).toEqual({ [next]: 1 });
  }
});

test("a tenant who recreates routes does not make the counters grow", () => {
  const { serve, count, after, series } = counters({ most: 50 });
  for (let round = 0; round < 1000; round++) {
    serve(`b${round}`);
    count(`b${round}`);
    after(1);
  }
  expect(series()).toBeLessThanOrEqual(3 * 50);
});

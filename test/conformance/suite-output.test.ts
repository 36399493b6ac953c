import { describe, expect, test } from "vitest";
import { formatSuite } from "./format-suite.ts";
import { parseProfiles } from "./run-suite.ts";
import { SuiteOutput } from "./suite-output.ts";

/** As the suite prints it, with the mark of the test runner's own lines. */
const OUTPUT = `
\u0016=== RUN   TestConformance
    suite.go:388: 2026-11-18T16:00:00Z: Test Setup: Ensuring GatewayClass has been accepted
\u0016=== RUN   TestConformance/HTTPRouteWeight
    conformance.go:77: 2026-11-18T16:00:01Z: Running HTTPRouteWeight, relying on the following features: Gateway-standard, HTTPRoute-standard
\u0016=== RUN   TestConformance/HTTPRouteWeight/Requests_should_have_a_distribution
\u0016    --- PASS: TestConformance/HTTPRouteWeight/Requests_should_have_a_distribution (0.10s)
\u0016=== NAME  TestConformance/HTTPRouteWeight
\u0016--- PASS: TestConformance/HTTPRouteWeight (0.43s)
\u0016=== RUN   TestConformance/UDPRoute
\u0016=== NAME  TestConformance/UDPRoute
    conformance.go:56: Skipping UDPRoute: suite does not support UDPRoute
\u0016--- SKIP: TestConformance/UDPRoute (0.00s)
\u0016=== RUN   TestConformance/GatewayModifyListeners
\u0016=== PAUSE TestConformance/GatewayModifyListeners
\u0016=== CONT  TestConformance/GatewayModifyListeners
    conformance.go:77: 2026-11-18T16:00:01Z: Running GatewayModifyListeners, relying on the following features: Gateway-standard
\u0016=== RUN   TestConformance/GatewayModifyListeners/should_be_able_to_add_a_listener
    helpers.go:120: 
        	Error Trace:	/src/helpers.go:120
        	Error:      	Received unexpected error:
        	            	context deadline exceeded
        	Test:       	TestConformance/GatewayModifyListeners/should_be_able_to_add_a_listener
        	Messages:   	error waiting for the Gateway to be ready
\u0016    --- FAIL: TestConformance/GatewayModifyListeners/should_be_able_to_add_a_listener (60.00s)
\u0016--- FAIL: TestConformance/GatewayModifyListeners (60.10s)
\u0016--- FAIL: TestConformance (64.00s)
`;

const REPORT = `
apiVersion: gateway.networking.k8s.io/v1
kind: ConformanceReport
profiles:
- core:
    result: failure
    statistics: {Failed: 1, Passed: 39, Skipped: 0}
  extended:
    result: success
    statistics: {Failed: 0, Passed: 57, Skipped: 2}
  name: GATEWAY-HTTP
- core:
    statistics: {Failed: 0, Passed: 16, Skipped: 0}
  name: GATEWAY-GRPC
`;

function readOutput(text: string): SuiteOutput {
  const output = new SuiteOutput();
  for (const line of text.split("\n")) output.readLine(line);
  return output;
}

describe("the output of the conformance suite", () => {
  test("has each test once, with its time, its features and the reason of a failure", () => {
    expect(readOutput(OUTPUT).tests).toEqual([
      { name: "HTTPRouteWeight", outcome: "passed", seconds: 0.43, features: ["Gateway", "HTTPRoute"], reason: "" },
      { name: "UDPRoute", outcome: "skipped", seconds: 0, features: [], reason: "suite does not support UDPRoute" },
      {
        name: "GatewayModifyListeners",
        outcome: "failed",
        seconds: 60.1,
        features: ["Gateway"],
        reason: "error waiting for the Gateway to be ready: Received unexpected error:: context deadline exceeded",
      },
    ]);
  });

  test("has the reason why no test ran", () => {
    const text = "\u0016=== RUN   TestConformance\n    suite.go:9: error creating the suite: no GatewayClass\n";
    expect(readOutput(text).setupFailure).toBe("error creating the suite: no GatewayClass");
  });

  test("is shown by profile and by kind of route, with what failed and what is not claimed", () => {
    expect(
      formatSuite(readOutput(OUTPUT).tests, parseProfiles(REPORT)),
    ).toBe(`profile       core passed  extended passed
GATEWAY-HTTP     39 of 40         57 of 59
GATEWAY-GRPC     16 of 16                –

tests of   passed  failed    time
HTTPRoute       1       0   0.4 s
Gateway         0       1  60.1 s
all             1       1  60.5 s

failed:
  GatewayModifyListeners (60.1 s): error waiting for the Gateway to be ready: Received unexpected error:: context deadline exceeded

not claimed:
  UDPRoute: UDPRoute
`);
  });
});

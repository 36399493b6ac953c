import type { Caveat } from "../../core/caveats/caveat.ts";
import { caveat } from "../../core/caveats/caveat-context.ts";
import { parseRetryReport } from "../../core/retry/parse-retry-report.ts";
import { joinReports, type RetryReport } from "../../core/retry/retry-counts.ts";
import type { AdminAddress, CliIo } from "../cli-io.ts";
import type { CommandContext } from "../command.ts";
import { parseGatewayAdmins } from "./gateway-admin-option.ts";

/** The counts of the gateways of `--gateway-admin`. */
export interface ReadCounts {
  /** Undefined: no gateway answered, so nothing is known. */
  readonly report: RetryReport | undefined;
  /** Why something is missing. */
  readonly caveats: readonly Caveat[];
}

/** Undefined: counts were not asked for. A text is an error message. */
export async function readRetryCounts({ options, io }: CommandContext): Promise<ReadCounts | string | undefined> {
  const addresses = parseGatewayAdmins(options);
  if (addresses === undefined || typeof addresses === "string") return addresses;
  const answers = await Promise.all(addresses.map((address) => askGateway(address, io)));
  const reports = answers.filter((one) => typeof one !== "string");
  const missing = answers.filter((one) => typeof one === "string");
  return {
    report: reports.length === 0 ? undefined : joinReports(reports),
    caveats: [...missing.map(notRead), ...reports.flatMap(notCounted)],
  };
}

/** A text is the reason why there is no report. */
async function askGateway(address: AdminAddress, { askAdmin }: CliIo): Promise<RetryReport | string> {
  const answer = await askAdmin(address, "/retries");
  if (!answer.ok) return answer.reason;
  return (
    parseRetryReport(answer.page) ?? `the page /retries of port ${address.port} is not of a gateway of this program`
  );
}

const notRead = (reason: string): Caveat =>
  caveat("CountersNotRead", {
    message: `what retries are worth is not known: ${reason}`,
    summary: "the counters of a gateway were not read",
  });

function notCounted({ uncounted }: RetryReport): readonly Caveat[] {
  if (uncounted === 0) return [];
  const summary = `${uncounted} requests of a gateway were not counted`;
  return [
    caveat("CountersNotRead", {
      message: `${summary}: it serves more rules and backends than it keeps counters for`,
      summary,
      fix: "Serve fewer rules and backends with one gateway: it keeps counters for 10,000 combinations.",
    }),
  ];
}

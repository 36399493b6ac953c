import type { EnvoyTimer } from "../../cli/xds/xds-tools.ts";

/** How much longer waits are made, as timers fire early. Measured: docs/decisions/0006. */
export const slackMs = (timer: EnvoyTimer): number => (timer === "precise" ? 1 : 5);

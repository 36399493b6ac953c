import type { EnvoyTimer } from "../../cli/xds/xds-tools.ts";

/** The time that is added to waits because Envoy's timers fire early. docs/decisions/0006 has the measurement. */
export const slackMs = (timer: EnvoyTimer): number => (timer === "precise" ? 1 : 5);

import { CONTROLLER_NAME } from "../../core/model/kinds.ts";
import type { Option, OptionValues } from "./option.ts";

export const controllerNameOption: Option = {
  name: "controller-name",
  value: "DOMAIN/PATH",
  help: `the controller whose status is computed (default: ${CONTROLLER_NAME})`,
};

export type ParsedControllerName =
  | { readonly ok: true; readonly controllerName: string }
  | { readonly ok: false; readonly message: string };

/** Gateway API, "GatewayController": a DNS subdomain, a slash and a path. */
const FORM = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;
const MAX_LENGTH = 253;

export function parseControllerName(options: OptionValues): ParsedControllerName {
  const controllerName = options.value(controllerNameOption.name) ?? CONTROLLER_NAME;
  if (controllerName.length <= MAX_LENGTH && FORM.test(controllerName)) return { ok: true, controllerName };
  const form = `write a domain, a slash and a path, such as ${CONTROLLER_NAME}`;
  return { ok: false, message: `--controller-name is '${controllerName.slice(0, 80)}': ${form}` };
}

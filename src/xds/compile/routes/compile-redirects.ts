/** Compiles redirects to Envoy routes. */
import type { RedirectConfig } from "../../../core/dataplane/gateway-config.ts";
import { WELL_KNOWN_PORTS } from "../../../core/dataplane/well-known-ports.ts";
import {
  HeaderMatcherSchema,
  RedirectAction_RedirectResponseCode,
  type RouteSchema,
} from "../../gen/envoy/config/route/v3/route_components_pb.ts";
import { create, type Init } from "../../protobuf.ts";
import { pathRewrite } from "./compile-filters.ts";
import type { MatchInit } from "./compile-match.ts";

type RouteInit = Init<typeof RouteSchema>;

/** The settings that differ between ports. */
export interface PortFacts {
  readonly port: number;
  readonly scheme: "http" | "https";
}

const REDIRECT_CODES = {
  301: RedirectAction_RedirectResponseCode.MOVED_PERMANENTLY,
  302: RedirectAction_RedirectResponseCode.FOUND,
  303: RedirectAction_RedirectResponseCode.SEE_OTHER,
  307: RedirectAction_RedirectResponseCode.TEMPORARY_REDIRECT,
  308: RedirectAction_RedirectResponseCode.PERMANENT_REDIRECT,
} as const;

const NAMES_PORT = create(HeaderMatcherSchema, {
  name: ":authority",
  headerMatchSpecifier: {
    case: "stringMatch",
    value: { matchPattern: { case: "safeRegex", value: { regex: ".*:[0-9]+" } } },
  },
});

/**
 * The port of a redirect, as in the embedded gateway's `redirect-location.ts`. Envoy keeps the port of the request, so the port
 * is always written if the client sent one.
 */
export function compileRedirects(match: MatchInit, redirect: RedirectConfig, facts: PortFacts): readonly RouteInit[] {
  const { scheme, hostname, port } = redirect;
  const target = port ?? (scheme === undefined ? facts.port : WELL_KNOWN_PORTS[scheme]);
  const isWellKnown = target === WELL_KNOWN_PORTS[scheme ?? facts.scheme];
  if (!isWellKnown) return [{ match, ...redirectTo(redirect, target) }];
  const plain = { match, ...redirectTo(redirect, undefined) };
  if (hostname !== undefined) return [plain];
  const withPort: MatchInit = { ...match, headers: [...(match.headers ?? []), NAMES_PORT] };
  return [{ match: withPort, ...redirectTo(redirect, target) }, plain];
}

function redirectTo(
  { scheme, hostname, path, status }: RedirectConfig,
  port: number | undefined,
): Pick<RouteInit, "action"> {
  return {
    action: {
      case: "redirect",
      value: {
        responseCode: REDIRECT_CODES[status],
        ...(scheme === undefined ? {} : { schemeRewriteSpecifier: { case: "schemeRedirect", value: scheme } }),
        ...(hostname === undefined ? {} : { hostRedirect: hostname }),
        ...(port === undefined ? {} : { portRedirect: port }),
        ...(path === undefined ? {} : { pathRewriteSpecifier: { case: "regexRewrite", value: pathRewrite(path) } }),
      },
    },
  };
}

/** Compiles session persistence. Envoy encodes the address of the endpoint in the cookie or the header. */
import type { BackendConfig, SessionConfig } from "../../../core/dataplane/gateway-config.ts";
import { type HeaderMatcher, HeaderMatcherSchema } from "../../gen/envoy/config/route/v3/route_components_pb.ts";
import {
  StatefulSessionPerRouteSchema,
  StatefulSessionSchema,
} from "../../gen/envoy/extensions/filters/http/stateful_session/v3/stateful_session_pb.ts";
import { CookieBasedSessionStateSchema } from "../../gen/envoy/extensions/http/stateful_session/cookie/v3/cookie_pb.ts";
import { HeaderBasedSessionStateSchema } from "../../gen/envoy/extensions/http/stateful_session/header/v3/header_pb.ts";
import { type Any, create, duration, pack } from "../../protobuf.ts";

/** The name of the filter. */
export const SESSIONS = "envoy.filters.http.stateful_session";

/** The filter without sessions. Routes configure theirs. */
export const NO_SESSIONS: Any = pack(StatefulSessionSchema, {});

/** The settings of a route. */
export const compileSession = (session: SessionConfig): Any =>
  pack(StatefulSessionPerRouteSchema, {
    override: {
      case: "statefulSession",
      value: { sessionState: { name: STATES[session.type], typedConfig: state(session) } },
    },
  });

const STATES: Readonly<Record<SessionConfig["type"], string>> = {
  Cookie: "envoy.http.stateful_session.cookie",
  Header: "envoy.http.stateful_session.header",
};

function state(session: SessionConfig): Any {
  if (session.type === "Header") return pack(HeaderBasedSessionStateSchema, { name: session.name });
  const { name, path, absoluteTimeoutMs } = session;
  const ttl = absoluteTimeoutMs === undefined ? {} : { ttl: duration(absoluteTimeoutMs) };
  return pack(CookieBasedSessionStateSchema, { cookie: { name, path, ...ttl } });
}

/**
 * The session of one of several backends. A cookie names the backend, so that a route can select it; the name of a header cannot differ, because clients
 * would have to know it.
 */
export function sessionOfBackend(session: SessionConfig, { id }: BackendConfig): SessionConfig {
  return session.type === "Header"
    ? session
    : { ...session, name: `${session.name}_${id.replaceAll(/[^A-Za-z0-9.-]/g, "_")}` };
}

/** Matches requests that have the cookie. Not by a pattern: names may be longer than Envoy allows in patterns. */
export const hasCookie = ({ name }: SessionConfig): HeaderMatcher =>
  create(HeaderMatcherSchema, {
    name: "cookie",
    headerMatchSpecifier: {
      case: "stringMatch",
      value: { matchPattern: { case: "contains", value: `${name}=` } },
    },
  });

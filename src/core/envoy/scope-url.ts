/** The beginning of the names of scopes, which are URLs. An Envoy that refuses a scope reports this name. */
export const SCOPE_URL = "xdstp:///envoy.config.route.v3.ScopedRouteConfiguration/";

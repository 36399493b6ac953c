/**
 * Headers of an authorization server's response that the request never gets: those about the response itself, or about its connection. A pattern, in
 * the common part of all engines, for names in lower case. Envoy limits the size of patterns.
 */
export const AUTH_OWN_HEADERS =
  "(content|proxy|transfer|keep|last)-.+|host|date|server|etag|connection|te|trailer|upgrade";

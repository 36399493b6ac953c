/** The subjects of settings, and the meaning of each word. Answers are in this order. */
export const governsMeanings = {
  Gateways: "the gateway itself: addresses, DNS, certificates, deployment",
  Clients: "connections of clients: TLS, HTTP, client addresses",
  Security: "authentication, authorization and protection",
  RateLimits: "rate limits",
  Traffic: "what is done with requests and responses",
  Retries: "retries and timeouts",
  Extensions: "code that extends the gateway: plugins, filters, external processors",
  LoadBalancing: "load balancing and session persistence",
  Backends: "connections to backends: pools, circuit breakers, health checks",
  BackendTLS: "TLS to backends",
  Telemetry: "logs, metrics and traces",
} as const;

export type Governs = keyof typeof governsMeanings;

export const governsWords = Object.keys(governsMeanings) as readonly Governs[];

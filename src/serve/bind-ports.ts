import type { ServeSettings } from "../cli/run/settings.ts";

export type PortSettings = Pick<ServeSettings, "bind" | "portMap">;

/** Maps listener ports to addresses, by `--bind` and `--map-port`. */
export function bindPorts({
  bind,
  portMap,
}: PortSettings): (gateway: unknown, port: number) => { readonly host: string; readonly port: number } {
  return (_, port) => ({ host: bind, port: portMap.get(port) ?? port });
}

/** An address and port, as users write them. */
export function boundAddress({ bind, portMap }: PortSettings): (gateway: unknown, port: number) => string {
  return (_, port) => `${bind}:${portMap.get(port) ?? port}`;
}

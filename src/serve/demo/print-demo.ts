import type { CliIo } from "../../cli/cli-io.ts";
import { execute } from "../../cli/execute.ts";
import { type ExitCode, exitCodes } from "../../cli/exit-codes.ts";
import { createPrinter, type Printer } from "../../cli/print/create-printer.ts";
import { sendOrder } from "./send-order.ts";

interface DemoStep {
  readonly story: string;
  /** The command without the program and without `-f`. */
  readonly command: readonly string[];
  readonly moral: string;
}

/** The bakery's story (examples/bakery/README.md), as far as the commands tell it. */
const steps: readonly DemoStep[] = [
  {
    story:
      "Orders at the bakery are baked twice. The gateway sends a failed order up to five times more, although Ana's route says never to send one again, and her RetryPolicy allows one retry. Both are accepted, and nothing in her namespace says five. Ana asks what applies to her route:",
    command: ["explain", "httproute/baker"],
    moral:
      "There it is, under RetryPolicy: retry.attempts is 5 by friday-fix, an override that somebody attached to the Gateway one Friday in 2024. It beats Ana's policy, and even what her route itself says. Below it, a second mistake: no-double-orders never did anything, because its target is misspelt.",
  },
  {
    story: "Chihiro, who runs the platform, looks at all policies:",
    command: ["get", "policies"],
    moral:
      "Half of baker-retries holds, which is why nobody noticed the other half. counter-retries, of another team, decides nothing at all. And friday-fix holds on every path there is.",
  },
  {
    story: "Chihiro would like to delete it. What would change?",
    command: ["plan", "--delete", "retrypolicy/friday-fix"],
    moral:
      "Ana gets what she wrote, and orders are never sent twice. But so much changes for others, too: nobody retries a 500 any more, and the shop's till, which still crashes, has lived on that. So the shop hears of it first, and not from its customers.",
  },
  {
    story: "Until then, this is what happens to an order:",
    command: ["trace", "POST", "http://baker.bakery.example:8080/orders"],
    moral: "At most six attempts, as the last lines say: one order that fails may be baked six times.",
  },
];

const ORDER = { host: "baker.bakery.example", port: 8080, path: "/orders", plan: "500,500,500,200" };

/** Sends a real order through the embedded gateway. */
async function printOrder(print: Printer, bakery: string, io: CliIo): Promise<void> {
  const { host, port, path, plan } = ORDER;
  print.paragraph(
    {},
    "Does it really? Prevail has a gateway of its own that does what the files say. Behind it, for now, are small backends that fail on demand: three times with a 500, as the oven does on Fridays, and then no more.",
  );
  print.line("");
  print.line(`$ ${io.program} run -f ${bakery} --backend-demo`);
  print.line(`$ curl -X POST -H 'Host: ${host}' -H 'x-demo: ${plan}' http://127.0.0.1:${port}${path}`);
  const { attempts, status } = await sendOrder({ ...ORDER, files: bakery }, io);
  attempts.forEach((outcome, index) => print.line(`  attempt ${index + 1}: a backend answered ${outcome}`));
  print.line(`  the customer got ${status}`);
  print.line("");
  print.paragraph(
    {},
    `One order, sent ${attempts.length} times. Ana's customer sees a single answer and gets ${attempts.length} loaves.`,
  );
  print.line("");
}

/** Runs the command line on the bakery as a person would, with a few words around it. */
export async function printDemo(io: CliIo): Promise<ExitCode> {
  const print = createPrinter({ write: io.stdout, columns: io.columns, colour: false, headers: true });
  const bakery = await io.bakery();
  for (const { story, command, moral } of steps) {
    const argv = [...command, "-f", bakery];
    print.paragraph({}, story);
    print.line("");
    print.line(`$ ${io.program} ${argv.join(" ")}`);
    const code = await execute(argv, io);
    if (code === exitCodes.failed || code === exitCodes.internal) return code;
    print.line("");
    print.paragraph({}, moral);
    print.line("");
  }
  await printOrder(print, bakery, io);
  print.line(`The story is in ${bakery}/README.md. Change a file there and ask again.`);
  return exitCodes.ok;
}

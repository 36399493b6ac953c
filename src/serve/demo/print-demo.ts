import type { CliIo } from "../../cli/cli-io.ts";
import { execute } from "../../cli/execute.ts";
import { type ExitCode, exitCodes } from "../../cli/exit-codes.ts";
import { createPrinter, type Printer } from "../../cli/print/terminal/create-printer.ts";
import { sendOrder } from "./send-order.ts";

interface DemoStep {
  readonly story: string;
  /** The command without the program and without `-f`. */
  readonly command: readonly string[];
  readonly moral: string;
}

/** The story of examples/bakery/README.md, step by step. */
const steps: readonly DemoStep[] = [
  {
    story:
      "Orders at the bakery are baked twice. The gateway retries a failed order up to five times, although Ana's route allows no retry and her RetryPolicy allows one. Both objects are accepted, and nothing in her namespace sets five. Ana asks which policies take effect on her route:",
    command: ["explain", "httproute/baker"],
    moral:
      "Under RetryPolicy: retry.attempts is 5, from friday-fix, an override that was attached to the Gateway one Friday in 2024. It overrides Ana's policy and the retry settings of her route. Below it is a second mistake: no-double-orders has no effect, because its target is misspelt.",
  },
  {
    story: "Chihiro, who runs the platform, looks at all policies:",
    command: ["get", "policies"],
    moral:
      "baker-retries takes effect only partly. counter-retries, a policy of another team, is completely overridden. friday-fix takes effect on every path.",
  },
  {
    story: "Chihiro wants to delete friday-fix. What would change?",
    command: ["plan", "--delete", "retrypolicy/friday-fix"],
    moral:
      "Ana's settings take effect, and orders are no longer retried. The plan also shows what changes for other teams: a 500 is no longer retried, and the shop's till, which still crashes, depends on those retries. So Chihiro informs the shop before the change.",
  },
  {
    story: "Until then, an order is handled like this:",
    command: ["trace", "POST", "http://baker.bakery.example:8080/orders"],
    moral: "The last lines show up to six attempts: one failed order may be baked six times.",
  },
];

const ORDER = { host: "baker.bakery.example", port: 8080, path: "/orders", plan: "500,500,500,200" };

/** Sends one order through the embedded gateway and prints its attempts. */
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
  attempts.forEach((outcome, index) => print.line(`  attempt ${index + 1}: a backend responded with ${outcome}`));
  print.line(`  the customer got ${status}`);
  print.line("");
  print.paragraph(
    {},
    `One order, sent ${attempts.length} times. Ana's customer sees a single response and gets ${attempts.length} loaves.`,
  );
  print.line("");
}

/** Runs each command on the bakery and prints a text before and after it. */
export async function printDemo(io: CliIo): Promise<ExitCode> {
  const print = createPrinter({ write: io.stdout, columns: io.columns, colour: false, headers: true });
  const bakery = await io.bakery();
  for (const { story, command, moral } of steps) {
    const argv = [...command, "-f", bakery];
    print.paragraph({}, story);
    print.line("");
    print.line(`$ ${io.program} ${argv.join(" ")}`);
    const code = await execute(argv, io);
    if (code !== exitCodes.ok && code !== exitCodes.differs) return code;
    print.line("");
    print.paragraph({}, moral);
    print.line("");
  }
  await printOrder(print, bakery, io);
  print.line(`The story is in ${bakery}/README.md. Change a file there and run the commands again.`);
  return exitCodes.ok;
}

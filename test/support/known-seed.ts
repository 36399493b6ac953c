/** Every property test runs with a known seed, so that each failure can be repeated. */
import fc from "fast-check";
import { seed } from "../property/property-run.ts";

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

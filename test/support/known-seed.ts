/** Every property test runs with a seed that is known, so that no run fails by luck and each failure can be repeated. */
import fc from "fast-check";
import { seed } from "../property/property-run.ts";

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

import { CONTROLLER_NAME } from "../../core/model/kinds.ts";

/** The API server accepts names of up to 128 characters. */
const MAX_LENGTH = 128;

/**
 * Returns the manager of the fields that the controller writes (Kubernetes, "Field management"). Controllers of different names have different managers, because
 * conditions of policies without ancestors have no other owner: each controller withdraws only its own.
 */
export const fieldManagerOf = (controllerName: string): string =>
  controllerName === CONTROLLER_NAME
    ? "prevail-controller"
    : `prevail-controller ${controllerName}`.slice(0, MAX_LENGTH);

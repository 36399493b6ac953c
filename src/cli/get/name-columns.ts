import type { ObjectRef } from "../../core/model/refs.ts";
import type { NameKind } from "../../core/model/words/kind-names.ts";
import type { CommandContext } from "../command.ts";
import { qualifiedName } from "../print/format/format-target.ts";
import type { Column, Table } from "../print/terminal/layout-table.ts";
import type { Scope } from "../target/find-targets.ts";

/** The columns that identify an object, and its cells. */
export interface NameColumns {
  readonly columns: readonly Column[];
  readonly cells: (ref: ObjectRef) => readonly string[];
}

/** Prints a table with a column for the namespace. Where it does not fit, the namespace stands before the name, which is narrower. With -o wide nothing is cut. */
export function printNamed(
  { print, output }: Pick<CommandContext, "print" | "output">,
  { scope, nameKind }: { readonly scope: Scope; readonly nameKind: NameKind },
  build: (names: NameColumns) => Table,
  { hasKind = true, hasNamespace = true }: { readonly hasKind?: boolean; readonly hasNamespace?: boolean } = {},
): void {
  const whole = output === "wide";
  const isPlain = scope.namespace !== undefined || !hasNamespace;
  const shown = ({ columns, cells }: NameColumns): Table => {
    const names = { columns, cells: (ref: ObjectRef) => cells({ ...ref, kind: nameKind(ref) }) };
    return build(hasKind ? names : withoutKind(names));
  };
  const apart = shown(isPlain ? PLAIN : APART);
  print.table(whole || isPlain || print.fits(apart) ? apart : shown(JOINED), { whole });
}

/** For a table about objects of one kind. */
function withoutKind({ columns, cells }: NameColumns): NameColumns {
  const isShown = (_: unknown, index: number): boolean => columns[index]?.header !== "KIND";
  return { columns: columns.filter(isShown), cells: (ref) => cells(ref).filter(isShown) };
}

const KIND_AND_NAME: readonly Column[] = [{ header: "KIND" }, { header: "NAME" }];

const APART: NameColumns = {
  columns: [{ header: "NAMESPACE" }, ...KIND_AND_NAME],
  cells: ({ namespace, kind, name }) => [namespace === "" ? "-" : namespace, kind, name],
};
const JOINED: NameColumns = { columns: KIND_AND_NAME, cells: (ref) => [ref.kind, qualifiedName(ref)] };
/** All rows are in the namespace that was asked for. */
const PLAIN: NameColumns = { columns: KIND_AND_NAME, cells: ({ kind, name }) => [kind, name] };

/** What a field may hold, as flat records: checking 100,000 objects walks these, so all have one layout. */
export interface KubeShape {
  readonly type: ShapeType;
  readonly required: boolean;
  /** Text: shortest and greatest length. Integer: least and greatest value. List: fewest and most items. */
  readonly min: number;
  readonly max: number;
  readonly values: readonly string[];
  readonly fields: readonly KubeField[];
  readonly requiredFields: number;
  /** Of a list's items, or a map's values. */
  readonly items: KubeShape | undefined;
}

export type ShapeType =
  | "Struct"
  | "Text"
  | "Integer"
  | "List"
  | "Choice"
  | "Flag"
  | "Map"
  | "Duration"
  | "TextOrInteger"
  | "Unread";

export interface KubeField {
  readonly key: string;
  readonly shape: KubeShape;
}

/** In the place of the greatest there may be: small, so that all bounds are numbers of one kind. */
export const NO_LIMIT: number = 2 ** 31 - 1;

const shape = (type: ShapeType, rest: Partial<KubeShape> = {}): KubeShape => ({
  type,
  required: rest.required ?? false,
  min: rest.min ?? 0,
  max: rest.max ?? NO_LIMIT,
  values: rest.values ?? [],
  fields: rest.fields ?? [],
  requiredFields: (rest.fields ?? []).filter((field) => field.shape.required).length,
  items: rest.items,
});

export const text: KubeShape = shape("Text");
/** Names, and words of open sets; the longest that Gateway API allows is a header's name. */
export const nonEmpty: KubeShape = shape("Text", { min: 1, max: 256 });
/** Names that may be left empty: groups, sections, hostnames. */
export const name: KubeShape = shape("Text", { max: 253 });
export const flag: KubeShape = shape("Flag");
/** Gateway API's duration (GEP-2257): up to four of `1h30m`, `100ms`. */
export const duration: KubeShape = shape("Duration");
export const textOrInteger: KubeShape = shape("TextOrInteger");
/** What nobody here reads, whatever it is: the status that a controller wrote, who managed which field. */
export const unread: KubeShape = shape("Unread");
export const integer = (min = 0, max: number = NO_LIMIT): KubeShape => shape("Integer", { min, max });
export const port: KubeShape = integer(1, 65_535);
export const choice = (...values: readonly string[]): KubeShape => shape("Choice", { values });
export const listOf = (items: KubeShape, max: number = NO_LIMIT, min = 0): KubeShape =>
  shape("List", { items, min, max });
export const mapOf = (items: KubeShape): KubeShape => shape("Map", { items });
export const struct = (fields: Readonly<Record<string, KubeShape>>): KubeShape =>
  shape("Struct", { fields: Object.entries(fields).map(([key, own]) => ({ key, shape: own })) });
export const required = (own: KubeShape): KubeShape => shape(own.type, { ...own, required: true });

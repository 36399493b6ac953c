/** Lengths of the drawing, in pixels. */

/** The width of a page: the drawing is never wider, so that its text keeps its size. */
export const PAGE_WIDTH = 1000;
export const MARGIN = 14;

export const BOX = { head: 38, row: 16, pad: 5, widest: 330, indent: 10 } as const;
export const FRAME = { title: 22, pad: 10, gap: 14 } as const;
/** Space for edges. `between`: the least space between two columns; `arrow`: in front of a box; `lane`: between two lines. */
export const CHANNEL = { between: 22, arrow: 12, lane: 6 } as const;
/** The most lines side by side. Further ones share a lane. */
export const MOST_LANES = 20;

/** The most columns of a frame. Further levels begin a new row of columns. */
export const MOST_COLUMNS = 4;
/** A column that is taller is split if there is room for another column. */
export const TALL_COLUMN = 420;

export const FONT = { name: 12, small: 11 } as const;
/** The usual width of a character of the font sizes above. */
const LETTER = { name: 7.4, small: 6 } as const;

/** The number of characters that fit into a width. */
export const lettersIn = (width: number, font: keyof typeof FONT): number =>
  Math.max(4, Math.floor(width / LETTER[font]));

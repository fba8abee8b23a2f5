// Pages of lists: where one begins, and what it comes with.

/** `after`: the page that follows this row. `before`: the one that precedes it, in the same order. At most one of them is set. */
export type Place<Row = bigint> = { after?: Row; before?: Row }

/**
 * `next`: where the list goes on, in the direction that was asked for; undefined: there is no more. A page may be short, or empty, although
 * there is more: it looks at a bounded number of rows.
 */
export type Page<Row, At = bigint> = { rows: Row[]; next: At | undefined }

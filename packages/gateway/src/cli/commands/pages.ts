// Reads a list of any length page by page, so that no process holds a whole history in memory.

/** `next`: what the following page comes after; null: this is the last one. */
export type Page<Row = unknown> = { items: readonly Row[]; next: string | null }

/** The most that operations give at once. */
const PAGE_ROWS = 1_000

/** `limit` 0: everything. */
export async function readPages<Row>(
  ask: (input: { limit: number; after?: string }) => Promise<Page<Row>>,
  limit: number,
): Promise<Row[]> {
  const rows: Row[] = []
  let after: string | null = null
  for (;;) {
    const missing = limit === 0 ? PAGE_ROWS : Math.min(limit - rows.length, PAGE_ROWS)
    const page: Page<Row> = await ask({ limit: missing, ...(after === null ? {} : { after }) })
    rows.push(...page.items)
    after = page.next
    if (after === null || (limit !== 0 && rows.length >= limit)) return rows
  }
}

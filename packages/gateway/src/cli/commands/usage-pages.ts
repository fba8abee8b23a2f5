// Reads a usage list of any length page by page, so that no process holds a whole history in memory.

export type UsagePage = readonly { request_id: string }[]
type Values = Readonly<Record<string, string>>

/** Maximum rows of a page; its size in bytes is limited where the page is created. */
export const PAGE_ROWS = 1_000

/** `ask` returns the page after the request `before`. `limit` 0: everything. */
export async function readUsage<Page extends UsagePage>(
  ask: (values: Record<string, string>) => Promise<Page>,
  { limit = '100', ...values }: Values,
): Promise<Page[number][]> {
  const rows: Page[number][] = []
  for (;;) {
    const last = rows.at(-1)
    // The first call passes the limit unchanged: the operation validates it.
    const missing = limit === '0' || !last ? limit : String(Number(limit) - rows.length)
    const page = await ask({ ...values, limit: missing, ...(last ? { before: last.request_id } : {}) })
    rows.push(...page)
    // A page may be short because its rows are large: only an empty page is the end.
    if (page.length === 0 || (limit !== '0' && rows.length >= Number(limit))) return rows
  }
}

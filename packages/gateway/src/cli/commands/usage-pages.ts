// A list of requests of any length, read page by page: neither a server nor its store holds a whole history in memory.

export type UsagePage = readonly { request_id: string }[]
type Values = Readonly<Record<string, string>>

/** The most rows of one page; what they may weigh is decided where the page is made. */
export const PAGE_ROWS = 1_000

/** `ask` gives the page that begins behind the request `before`. `limit` 0: everything. */
export async function readUsage<Page extends UsagePage>(
  ask: (values: Record<string, string>) => Promise<Page>,
  { limit = '100', ...values }: Values,
): Promise<Page[number][]> {
  const rows: Page[number][] = []
  for (;;) {
    const last = rows.at(-1)
    // As it was written at first: whoever makes the pages says what is wrong with it.
    const missing = limit === '0' || !last ? limit : String(Number(limit) - rows.length)
    const page = await ask({ ...values, limit: missing, ...(last ? { before: last.request_id } : {}) })
    rows.push(...page)
    // A page may be short because its rows are large: only an empty one is the end.
    if (page.length === 0 || (limit !== '0' && rows.length >= Number(limit))) return rows
  }
}

// Comma-separated values, as spreadsheets write and read them (RFC 4180).

/** Each row with the number of its first line. Quoted fields may contain commas and line breaks. undefined: a quote is not closed. */
export function parseCsv(text: string): { line: number; cells: string[] }[] | undefined {
  const rows: { line: number; cells: string[] }[] = []
  let [at, line] = [text.startsWith('\ufeff') ? 1 : 0, 1]
  while (at < text.length) {
    const row = { line, cells: [] as string[] }
    for (;;) {
      const cell = text[at] === '"' ? quoted(text, at) : plain(text, at)
      if (!cell) return undefined
      row.cells.push(cell.value.trim())
      line += cell.value.split('\n').length - 1
      at = cell.end
      if (text[at] !== ',') break
      at += 1
    }
    at += text[at] === '\r' ? 2 : 1
    line += 1
    if (row.cells.some((cell) => cell !== '')) rows.push(row)
  }
  return rows
}

type Cell = { value: string; end: number } | undefined

function plain(text: string, from: number): Cell {
  const end = from + (/[,\r\n]/.exec(text.slice(from))?.index ?? text.length - from)
  return { value: text.slice(from, end), end }
}

function quoted(text: string, from: number): Cell {
  let at = from + 1
  let value = ''
  for (;;) {
    const end = text.indexOf('"', at)
    if (end === -1) return undefined
    value += text.slice(at, end)
    at = end + 1
    if (text[at] !== '"') break
    value += '"'
    at += 1
  }
  return at === text.length || /[,\r\n]/.test(text[at] ?? '') ? { value, end: at } : undefined
}

/** With a line of titles. A cell that a spreadsheet would take for a formula gets an apostrophe. */
export function formatCsv(rows: readonly Readonly<Record<string, unknown>>[], titles: readonly string[]): string {
  const lines = rows.map((row) => titles.map((title) => cellOf(row[title])).join(','))
  return `${[titles.join(','), ...lines].join('\n')}\n`
}

function cellOf(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value)
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

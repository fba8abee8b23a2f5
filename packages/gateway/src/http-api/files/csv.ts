// CSV for spreadsheets and accountants.

export type CsvLine = readonly string[]

export function csvOf(lines: readonly CsvLine[]): string {
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('')
}

/** A spreadsheet would run a cell that begins like a formula; a quote before it makes it text. Numbers stay numbers. */
const FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^-?\d+(\.\d+)?$/

function cell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

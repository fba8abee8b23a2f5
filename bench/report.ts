// The figures as tables: on the terminal, and in docs/performance.md between two marks, around which text is kept.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import type { Outcome, Scenario } from './scenario.ts'
import { nginxVersion } from './servers.ts'

export type Finished = { scenario: Scenario; outcome: Outcome }

const BEGIN = '<!-- bench: from here on written by `npm run bench` -->'
const END = '<!-- bench: to here -->'
const INTRODUCTION = `# Performance

What the gateway costs beside the least that could be done instead. \`npm run bench\` measures it again and rewrites the
tables below; text outside of the two marks is kept.
`

export function render(finished: readonly Finished[], rounds: number): string {
  const verdicts = finished.flatMap(({ outcome }) => outcome.verdicts)
  const summary = table(
    ['Target', 'Limit', 'Measured', ''],
    verdicts.map(({ target, limit, measured, met }) => [target, limit, measured, met ? 'met' : 'over']),
  )
  const details = finished.map(
    ({ scenario, outcome }) => `## ${scenario.number}. ${scenario.title}\n\n${table(outcome.columns, outcome.rows)}\n`,
  )
  return [`${circumstances(rounds)}\n`, `${summary}\n`, ...details].join('\n')
}

function circumstances(rounds: number): string {
  const [processor] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  return [
    `Measured ${new Date().toISOString().slice(0, 10)} on ${cpus().length} x ${processor?.model.trim()}, ${memory},`,
    `${process.platform} ${release()}, Bun ${Bun.version}, nginx ${nginxVersion() ?? 'not installed'}. Figures are medians of`,
    `${rounds} rounds that alternate between the servers. CPU is that of the server under test, all of its threads.`,
    `*bare* reads the body, forwards it and returns the answer without looking inside; for streams it hands the`,
    `upstream's body on as it is. *gateway* has everything on: SQLite, every commit durable, 100 keys in use.`,
  ].join('\n')
}

export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((column, index) =>
    Math.max(3, column.length, ...rows.map((row) => row[index]?.length ?? 0)),
  )
  const isFigure = (index: number) => rows.every((row) => /^[\d-]/.test(row[index] ?? ''))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => (isFigure(index) ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, index) => (isFigure(index) ? `${'-'.repeat(width + 1)}:` : '-'.repeat(width + 2)))
  return [line(columns), `|${rule.join('|')}|`, ...rows.map(line)].join('\n')
}

export function writeInto(file: string, text: string): void {
  const old = existsSync(file) ? readFileSync(file, 'utf8') : `${INTRODUCTION}\n${BEGIN}\n${END}\n`
  const [begin, end] = [old.indexOf(BEGIN), old.indexOf(END)]
  if (begin === -1 || end < begin) throw new Error(`${file} has lost its marks: ${BEGIN} and ${END}`)
  writeFileSync(file, `${old.slice(0, begin + BEGIN.length)}\n${text}\n${old.slice(end)}`)
}

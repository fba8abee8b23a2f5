// The figures as tables: on the terminal, and in a page between two marks, around which text is kept.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { headOf } from '../../packages/gateway/src/observe/version.ts'
import type { Outcome, Scenario } from './scenario.ts'
import { nginxVersion } from './servers.ts'

export type Finished = { scenario: Scenario; outcome: Outcome }

const marksOf = (command: string) => ({
  begin: `<!-- ${command}: from here on written by \`npm run ${command}\` -->`,
  end: `<!-- ${command}: to here -->`,
})
const INTRODUCTION = `# Measured: CPU and memory

\`npm run bench\` replaces the tables between the two marks; text outside of them is kept.
`

export function render(finished: readonly Finished[], rounds: number): string {
  return `${circumstances(rounds)}\n\n${tables(finished)}`
}

/** The verdicts of all, then the figures of each. */
export function tables(finished: readonly Finished[]): string {
  const verdicts = finished.flatMap(({ outcome }) => outcome.verdicts)
  const summary = table(
    ['Target', 'Limit', 'Measured', ''],
    verdicts.map(({ target, limit, measured, met }) => [target, limit, measured, met ? 'met' : 'over']),
  )
  const details = finished.map(
    ({ scenario, outcome }) => `## ${scenario.number}. ${scenario.title}\n\n${table(outcome.columns, outcome.rows)}\n`,
  )
  return [`${summary}\n`, ...details].join('\n')
}

function circumstances(rounds: number): string {
  return [
    `${machine()}, Bun ${Bun.version}, nginx ${nginxVersion() ?? 'not installed'}. Figures are medians of`,
    `${rounds} rounds that alternate between the servers, ratios those of figures of the same round. CPU is that of the`,
    'server under test, all of its threads.',
    `*bare* reads the body, forwards it and returns the answer without looking inside; for streams it hands the`,
    `upstream's body on as it is. *gateway* has everything on: SQLite, every commit durable, 100 keys in use.`,
  ].join('\n')
}

/** When and where. */
export function machine(): string {
  const [processor] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  const day = new Date().toISOString().slice(0, 10)
  const commit = headOf(join(import.meta.dir, '../../.git'))?.slice(0, 8) ?? 'unknown'
  return `Measured ${day} at commit ${commit} on ${cpus().length} x ${processor?.model.trim()}, ${memory},\n${process.platform} ${release()}`
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

export function writeInto(file: string, text: string, command = 'bench'): void {
  const marks = marksOf(command)
  const old = existsSync(file) ? readFileSync(file, 'utf8') : `${INTRODUCTION}\n${marks.begin}\n${marks.end}\n`
  const [begin, end] = [old.indexOf(marks.begin), old.indexOf(marks.end)]
  if (begin === -1 || end < begin) throw new Error(`${file} has lost its marks: ${marks.begin} and ${marks.end}`)
  writeFileSync(file, `${old.slice(0, begin + marks.begin.length)}\n${text}\n${old.slice(end)}`)
}

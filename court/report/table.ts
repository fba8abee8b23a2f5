// The outcome by area, as text: of what the product claims, and apart of what it does not claim.
import { AREAS, type Area } from '../cell.ts'
import type { Result } from '../runner.ts'

export type Row = { area: Area; passed: number; failed: number; unclaimedPassed: number; unclaimed: number }

export function rowsOf(results: readonly Result[]): Row[] {
  return AREAS.flatMap((area) => {
    const found = results.filter((result) => result.area === area)
    const claimed = found.filter(({ unclaimed }) => unclaimed === undefined)
    const passed = (of: readonly Result[]) => of.filter(({ outcome }) => outcome === 'passed').length
    const others = found.filter(({ unclaimed }) => unclaimed !== undefined)
    const counts = { passed: passed(claimed), failed: claimed.length - passed(claimed) }
    return found.length === 0
      ? []
      : [
          {
            area,
            passed: counts.passed,
            failed: counts.failed,
            unclaimedPassed: passed(others),
            unclaimed: others.length,
          },
        ]
  })
}

const HEADINGS = ['Area', 'Passed', 'Failed', 'Not claimed: passed']

export function tableOf(results: readonly Result[]): string {
  const rows = rowsOf(results).map((row) => [
    row.area,
    String(row.passed),
    String(row.failed),
    row.unclaimed === 0 ? '-' : `${row.unclaimedPassed} of ${row.unclaimed}`,
  ])
  const all = [HEADINGS, ...rows]
  const widths = HEADINGS.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Equal findings of one area and protocol together: the sentence, and how many cells. */
export function findingsOf(results: readonly Result[]): string[] {
  const failed = results.filter(({ outcome, unclaimed }) => outcome === 'failed' && unclaimed === undefined)
  const groups = Map.groupBy(failed, ({ area, dialect, finding = '' }) => `${area}, ${dialect}: ${short(finding)}`)
  const sorted = [...groups].sort(([, one], [, other]) => other.length - one.length)
  const lines = sorted.slice(0, MOST_FINDINGS).map(([words, cells]) => {
    const [first] = cells
    return `${cells.length} x ${words}\n    such as ${first?.client}, ${first?.model}: ${first?.name}`
  })
  const rest = sorted.slice(MOST_FINDINGS).reduce((sum, [, cells]) => sum + cells.length, 0)
  return rest === 0 ? lines : [...lines, `${rest} more cells failed: see --json or --html`]
}

const MOST_FINDINGS = 20

/** Without what differs from request to request, so that equal findings are counted together. */
const short = (text: string): string =>
  text
    .replaceAll(/court-\w+-\d+/g, 'court-N')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .replaceAll(/(rs|resp|msg|req|chatcmpl)[-_]\w+/g, '$1_N')
    .slice(0, 80)

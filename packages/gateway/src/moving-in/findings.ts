// The report of a move: each place of the source with its grade. Nothing that is left out goes unnamed.

/**
 * `exact`: works as before. `approximate`: nearly, `says` tells how it differs. `manual`: somebody has to do what `says` tells.
 * `not_supported`: does not exist here.
 */
export const GRADES = ['exact', 'approximate', 'manual', 'not_supported'] as const
export type Grade = (typeof GRADES)[number]

/** `path`: a place of the source such as `LiteLLM_VerificationToken.aliases`. */
export type Finding = {
  path: string
  grade: Grade
  /** One sentence; '' for what is exact. */
  says: string
  count: number
  /** The first rows, by what names them there; never a secret. */
  rows: readonly string[]
}

/** Enough to find the others. */
const ROWS_NAMED = 20
/** Damaged sources must not fill the memory. */
export const MOST_FINDINGS = 2_000
export const FURTHER = { path: '*', grade: 'manual', says: 'Further findings are not listed.' } as const

export type Findings = {
  add(path: string, grade: Grade, says?: string, row?: string): void
  /** By path, the least exact first. */
  all(): readonly Finding[]
}

export function createFindings(): Findings {
  const found = new Map<string, Finding & { rows: string[] }>()
  const entry = (path: string, grade: Grade, says: string) => {
    const name = JSON.stringify([path, grade, says])
    const present = found.get(name)
    if (present) return present
    if (found.size >= MOST_FINDINGS && path !== FURTHER.path) return entry(FURTHER.path, FURTHER.grade, FURTHER.says)
    const made = { path, grade, says, count: 0, rows: [] }
    found.set(name, made)
    return made
  }
  return {
    add(path, grade, says = '', row) {
      const finding = entry(path, grade, says)
      finding.count += 1
      if (row !== undefined && finding.rows.length < ROWS_NAMED) finding.rows.push(row)
    },
    all: () =>
      [...found.values()].sort(
        (a, b) => GRADES.indexOf(b.grade) - GRADES.indexOf(a.grade) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
      ),
  }
}

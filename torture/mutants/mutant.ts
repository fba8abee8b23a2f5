// One small mistake in one place of the ledger or the prices.

/** Which mutant is on; the copies of the files read it. 0: none. */
export const SWITCH_NAME = '__mutant'

export type Mutant = {
  id: number
  file: string
  line: number
  /** The function or constant that it is in. */
  within: string
  code: string
  what: string
  /** In what a module computes once, when it is loaded: it takes a process of its own. */
  isStatic: boolean
}

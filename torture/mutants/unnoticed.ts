// Mutants that no test can notice, or none that is worth its time, each with the reason.
import type { Mutant } from './mutant.ts'

/** Files of which every mutant was judged. Those of the others survive in places where a test would be worth its time. */
export const JUDGED: readonly string[] = ['extend-hold.ts', 'leases.ts', 'nodes.ts']

/** `code`: how the code of the mutant begins. */
export type Unnoticed = Pick<Mutant, 'file' | 'within' | 'what' | 'code'> & { why: string }

export const isUnnoticed = (mutant: Mutant, { file, within, what, code }: Unnoticed): boolean =>
  mutant.file === file && mutant.within === within && mutant.what === what && mutant.code.startsWith(code)

const NO_TOKENS = 'an extension that asks for no tokens has no least of them'
const FOR_TOKENS = 'an extension for tokens alone asks for one nano-dollar for each, which is more'
const ASKED = 'only what was asked for is answered'
const SAME = 'it returns one of two that are equal'

const inFile = (file: string, entries: readonly [within: string, what: string, code: string, why: string][]) =>
  entries.map(([within, what, code, why]): Unnoticed => ({ file, within, what, code, why }))

export const UNNOTICED: readonly Unnoticed[] = [
  ...inFile('extend-hold.ts', [
    ['raise', '0 -> 1', 'leastTokens: 0', NO_TOKENS],
    ['extension', '0n -> 1n', 'wantsMoney ? largest(missing, step)', FOR_TOKENS],
    ['extension', '0n -> 1n', 'wantsMoney ? largest(missing, 1n)', FOR_TOKENS],
    ['extension', 'the first case always', 'wantsMoney ? largest(missing, 1n)', FOR_TOKENS],
    ['extension', '0 -> 1', 'wantsTokens ? Math.max(-spareTokens, Math.ceil(', NO_TOKENS],
    ['extension', 'the first case always', 'wantsTokens ? Math.max(-spareTokens, Math.ceil(', NO_TOKENS],
    ['requestExtension', '0n -> 1n', 'tokens === 0 ?', FOR_TOKENS],
    ['extended', '0 -> 1', 'extending?.tokens ?? 0', ASKED],
    ['extended', 'without what stands for nothing', 'extending?.tokens ?? 0', ASKED],
    ['largest', '> -> >=', 'one > other', SAME],
  ]),
]

// Mutants that change nothing that could be noticed, each with the reason. Every other mutant is noticed.
import type { Mutant } from './mutant.ts'

/** `code`: how the code of the mutant begins. */
export type Unnoticed = Pick<Mutant, 'file' | 'within' | 'what' | 'code'> & { why: string }

export const isUnnoticed = (mutant: Mutant, { file, within, what, code }: Unnoticed): boolean =>
  mutant.file === file && mutant.within === within && mutant.what === what && mutant.code.startsWith(code)

const NO_TOKENS = 'an extension that asks for no tokens has no least of them'
const FOR_TOKENS = 'an extension for tokens alone asks for one nano-dollar for each, which is more'
const ASKED = 'only what was asked for is answered'
const SAME = 'it returns one of two that are equal'
const ALWAYS = 'it is always there; the types do not say so'
const FASTER = 'a shorter way to the same result'
const NO_ROW = 'rows of accounts and keys are never deleted; without one it throws either way'
const NO_LEAST = 'an amount that is not there is not less than any: the others decide'
const NO_CONTEXT = 'no long context begins below the first token'
const NO_MORE = 'no tokens are added or given back'
const END = 'beyond the end there is no second that counts'
const UNDEFINED = 'a field that is undefined is as one that is absent'
const TIERS = 'a tier that is not listed, or is named twice, changes nothing'

const ELSE = 'without what stands for nothing'
const FIRST = 'the first case always'
const SECOND = 'the second case always'

const inFile = (file: string, entries: readonly [within: string, what: string, code: string, why: string][]) =>
  entries.map(([within, what, code, why]): Unnoticed => ({ file, within, what, code, why }))

export const UNNOTICED: readonly Unnoticed[] = [
  ...inFile('amount.ts', [
    ['formatUsd', 'never', 'nanos === 0n', FASTER],
    ['formatUsd', '0n -> 1n', 'nanos < 0n', 'zero is shown before'],
    ['formatUsd', '< -> <=', 'nanos < 0n', 'zero is shown before'],
    ['ceilDiv', '1n -> 0n', 'denominator === 1n', FASTER],
    ['ceilDiv', SECOND, 'denominator === 1n', FASTER],
  ]),
  ...inFile('budgets/budget.ts', [
    ['periodEnd', 'never', 'period === undefined', FASTER],
    ['spentNow', '> -> >=', 'row.windowSpent > 0n', SAME],
    ['leftUnder', '> -> >=', 'left > 0n', SAME],
  ]),
  ...inFile('budgets/counting.ts', [
    ['budgetsOf', SECOND, 'ids.length === 0', FASTER],
    ['chargeUnder', '> -> >=', 'start > row.windowStart', 'a period that has begun is not begun again'],
  ]),
  ...inFile('extend-hold.ts', [
    ['raise', '0 -> 1', 'leastTokens: 0', NO_TOKENS],
    ['extension', '0n -> 1n', 'wantsMoney ? largest(missing, step)', FOR_TOKENS],
    ['extension', '0n -> 1n', 'wantsMoney ? largest(missing, 1n)', FOR_TOKENS],
    ['extension', FIRST, 'wantsMoney ? largest(missing, 1n)', FOR_TOKENS],
    ['extension', '0 -> 1', 'wantsTokens ? Math.max(-spareTokens, Math.ceil(', NO_TOKENS],
    ['extension', FIRST, 'wantsTokens ? Math.max(-spareTokens, Math.ceil(', NO_TOKENS],
    ['requestExtension', '0n -> 1n', 'tokens === 0 ?', FOR_TOKENS],
    ['extended', '0 -> 1', 'extending?.tokens ?? 0', ASKED],
    ['extended', ELSE, 'extending?.tokens ?? 0', ASKED],
    ['largest', '> -> >=', 'one > other', SAME],
  ]),
  ...inFile('finish.ts', [
    ['charge', 'never', '!account || !key', NO_ROW],
    ['charge', '|| -> &&', '!account || !key', NO_ROW],
    ['charge', '> -> >=', 'due > released', SAME],
  ]),
  ...inFile('grant.ts', [
    ['tokensFor', SECOND, 'part === amount', FASTER],
    ['grant', ELSE, 'leftUnderCap(key, now) ?? inWallet', NO_LEAST],
    ['grant', ELSE, 'leftUnderMemberCap(book.memberCap(key), now) ?? inWallet', NO_LEAST],
    ['payable', 'never', 'due <= released', FASTER],
    ['payable', '<= -> <', 'due <= released', FASTER],
    ['correctTokens', '0 -> 1', 'more < 0', NO_MORE],
    ['correctTokens', '< -> <=', 'more < 0', NO_MORE],
    ['changed', '0 -> 1', 'more < 0', NO_MORE],
    ['changed', '< -> <=', 'more < 0', NO_MORE],
    ['positive', '> -> >=', 'amount > 0n', SAME],
    ['least', '< -> <=', 'one < other', SAME],
    ['most', '> -> >=', 'one > other', SAME],
  ]),
  ...inFile('json.ts', [['atLeastZero', '> -> >=', 'amount > 0n', SAME]]),
  ...inFile('ledger.ts', [
    ['hold', FIRST, 'left ? {', UNDEFINED],
    ['insertHeld', SECOND, 'budgets.length === 0', FASTER],
    ['insertHeld', FIRST, "verb.verb === 'hold' ? verb.deadline", 'what is entered again has no deadline either'],
    ['extend', '> -> >=', 'verb.progress > request.progress', 'the same progress is stored again'],
  ]),
  ...inFile('limits.ts', [
    ['usedIn', '< -> <=', 'at < window.length', END],
    ['usedIn', '0 -> 1', 'window[at] ?? 0', ALWAYS],
    ['usedIn', ELSE, 'window[at] ?? 0', ALWAYS],
    ['usedIn', '0 -> 1', 'window[at + 1] ?? 0', ALWAYS],
    ['usedIn', ELSE, 'window[at + 1] ?? 0', ALWAYS],
    ['waitFor', '< -> <=', 'at < window.length', END],
    ['waitFor', '0 -> 1', 'window[at] ?? 0', ALWAYS],
    ['waitFor', ELSE, 'window[at] ?? 0', ALWAYS],
    ['waitFor', '0 -> 1', 'window[at + 1] ?? 0', ALWAYS],
    ['waitFor', ELSE, 'window[at + 1] ?? 0', ALWAYS],
    ['added', '0 -> 1', 'kept[last] ?? 0', ALWAYS],
    ['added', ELSE, 'kept[last] ?? 0', ALWAYS],
    ['added', '0 -> 1', 'kept[last + 1] ?? 0', ALWAYS],
    ['added', ELSE, 'kept[last + 1] ?? 0', ALWAYS],
    ['removed', '< -> <=', 'at < kept.length', 'counts are at odd places, and the length is even'],
    ['removed', '> -> >=', 'left > 0', 'then it takes nothing more'],
    ['removed', '0 -> 1', 'kept[at] ?? 0', ALWAYS],
    ['removed', ELSE, 'kept[at] ?? 0', ALWAYS],
    ['recent', '< -> <=', 'at < window.length', END],
    ['recent', '0 -> 1', 'when = 0', ALWAYS],
    ['recent', '0 -> 1', 'count = 0', ALWAYS],
    ['monthOf', '+ -> -', 'date.getUTCFullYear() * 12 + ', 'every month still has a number of its own'],
    ['notBefore', '< -> <=', 'now < spentAt', SAME],
    ['positive', '> -> >=', 'amount > 0n', SAME],
  ]),
  ...inFile('prices/combine-charges.ts', [
    ['combineCharges', SECOND, 'index === 0 ? {} : own', 'the first line has the multiplier of the receipt'],
    ['combineMediaCharges', ELSE, 'prices[index] ?? []', ALWAYS],
  ]),
  ...inFile('prices/receipt.ts', [
    ['suffixOf', FIRST, '/\\d$/.test(name)', FASTER],
    ['partsOf', FIRST, 'hasUnits ? unitFigure', FASTER],
    ['linesOf', '1 -> 0', 'Math.max(1,', 'each line has a factor, the multiplier'],
    ['linesOf', '0n -> 1n', 'costs[index] ?? 0n', ALWAYS],
    ['linesOf', ELSE, 'costs[index] ?? 0n', ALWAYS],
  ]),
  ...inFile('prices/token-bound.ts', [
    ['readyRate', '0 -> 1', 'holdRate(rate, 0,', NO_CONTEXT],
    ['most', '> -> >=', 'one > other', SAME],
    ['toolsBound', 'never', 'tools.size === 0', FASTER],
    ['inputBound', 'always what stands for nothing', 'inNumbers(', FASTER],
    ['outputCost', 'always what stands for nothing', 'inNumbers(', FASTER],
    ['inNumbers', 'never', 'price === undefined', FASTER],
    ['inNumbers', '=== -> !==', 'price === undefined', FASTER],
    ['inNumbers', '<= -> <', 'product <= Number.MAX_SAFE_INTEGER', FASTER],
    ['inNumbers', SECOND, 'product <= Number.MAX_SAFE_INTEGER', FASTER],
  ]),
  ...inFile('prices/token-price.ts', [
    ['perToken', '% -> *', 'figure % by', FASTER],
    ['perToken', 'always what stands for nothing', '[SCALE, MILLION].find(', FASTER],
    ['perToken', '0n -> 1n', 'perInput = 0n', ALWAYS],
    ['perToken', '0n -> 1n', 'perOutput = 0n', ALWAYS],
    ['perToken', '0n -> 1n', 'perCached = 0n', ALWAYS],
    ['perToken', '0n -> 1n', 'perWrite = 0n', ALWAYS],
    ['perToken', '> -> >=', 'one > other', SAME],
    ['perToken', SECOND, 'divisor === SCALE', FASTER],
    ['costOf', 'never', 'whole !== undefined', FASTER],
    ['costOf', 'never', 'sum <= Number.MAX_SAFE_INTEGER', FASTER],
    ['costOf', '<= -> <', 'sum <= Number.MAX_SAFE_INTEGER', FASTER],
    ['costOf', '> -> >=', 'cachedInput > 0', FASTER],
    ['costOf', '> -> >=', 'cacheWrite > 0', FASTER],
    ['atMostBookable', '> -> >=', 'cost > MAX_AMOUNT', SAME],
    ['tiersServed', 'never', 'served === undefined ||', TIERS],
    ['tiersServed', '|| -> &&', 'served === undefined ||', TIERS],
    ['termsOf', FIRST, 'price.tiers ? tiersServed(', TIERS],
    ['termsOf', '0 -> 1', 'usage.input ?? 0', NO_CONTEXT],
    ['termsOf', ELSE, 'usage.input ?? 0', NO_CONTEXT],
    ['higherFigures', '> -> >=', 'a > b', SAME],
    ['callsOf', ELSE, 'toolCalls[tool] ?? 0', 'what is no whole number is not counted'],
  ]),
  ...inFile('verbs.ts', [['rejected', SECOND, 'budget === undefined', UNDEFINED]]),
  ...inFile('repetitions.ts', [
    ['requestsOf', '< -> <=', 'one.id < other.id', 'ids differ'],
    ['requestsOf', '1 -> 0', 'one.id < other.id ? -1 : 1', 'what is less is still known from what is not'],
  ]),
]

// One line of the journal: {"crc":"1a2b3c4d","entry":{...}}, the checksum over the entry's bytes as they stand in the line.
// Amounts and ids are decimal text: a JSON number would round them.
import type { Attribution } from '../../money/budgets/attribution.ts'
import type { Finish } from '../../money/ledger.ts'

/** `line` counts from 1. */
export type DamagedLine = { line: number; reason: 'checksum' | 'format' }
export type Lines = {
  verbs: Finish[]
  damaged: DamagedLine[]
  /** The file ends in the middle of a line: a crash during a write, whose append never succeeded. */
  torn: boolean
}

const LINE = /^\{"crc":"([0-9a-f]{8})","entry":(\{.*\})\}$/s
const DIGITS = /^-?\d{1,20}$/
const NEWLINE = 10

export function encodeLine(verb: Finish): string {
  const { id, nodeId, epoch, outcome, receipt } = verb
  // JSON leaves out what is undefined.
  const amount =
    verb.verb === 'settle'
      ? {
          cost: verb.cost.toString(),
          tokens: verb.tokens,
          upstream: verb.upstream,
          upstreamCost: verb.upstreamCost?.toString(),
          model: verb.model,
          account: verb.account?.toString(),
          key: verb.key?.toString(),
          budgets: verb.budgets?.map(String),
          attribution: verb.attribution,
        }
      : {}
  const entry = JSON.stringify({ verb: verb.verb, id: id.toString(), nodeId, epoch, ...amount, outcome, receipt })
  return `{"crc":"${checksum(entry)}","entry":${entry}}\n`
}

export function readLines(bytes: Uint8Array): Lines {
  const end = bytes.lastIndexOf(NEWLINE)
  const result: Lines = { verbs: [], damaged: [], torn: end < bytes.length - 1 }
  const lines = new TextDecoder().decode(bytes.subarray(0, end + 1)).split('\n')
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    const verb = decodeLine(line)
    if (typeof verb === 'string') result.damaged.push({ line: index + 1, reason: verb })
    else result.verbs.push(verb)
  }
  return result
}

function decodeLine(line: string): Finish | DamagedLine['reason'] {
  const [, crc, entry] = LINE.exec(line) ?? []
  if (crc === undefined || entry === undefined) return 'format'
  if (checksum(entry) !== crc) return 'checksum'
  return decodeEntry(JSON.parse(entry)) ?? 'format'
}

function decodeEntry(entry: Record<string, unknown>): Finish | undefined {
  // Lines of an earlier version have no tokens: its requests had reserved none.
  const { verb, id, nodeId, epoch, cost, tokens = 0, outcome, receipt } = entry
  if (typeof id !== 'string' || !DIGITS.test(id) || typeof nodeId !== 'number' || typeof epoch !== 'number')
    return undefined
  if (typeof outcome !== 'string' || typeof receipt !== 'string') return undefined
  const common = { id: BigInt(id), nodeId, epoch, outcome, receipt }
  if (verb === 'void') return { verb, ...common }
  if (verb !== 'settle' || typeof cost !== 'string' || !DIGITS.test(cost)) return undefined
  if (typeof tokens !== 'number') return undefined
  const { upstream, upstreamCost, model, account, key, budgets, attribution } = entry
  return {
    verb,
    ...common,
    cost: BigInt(cost),
    tokens,
    ...(typeof upstream === 'string' ? { upstream } : {}),
    ...(isDigits(upstreamCost) ? { upstreamCost: BigInt(upstreamCost) } : {}),
    ...(typeof model === 'string' ? { model } : {}),
    ...(isDigits(account) ? { account: BigInt(account) } : {}),
    ...(isDigits(key) ? { key: BigInt(key) } : {}),
    ...(Array.isArray(budgets) && budgets.every(isDigits) ? { budgets: budgets.map(BigInt) } : {}),
    ...(isAttribution(attribution) ? { attribution } : {}),
  }
}

const isDigits = (text: unknown): text is string => typeof text === 'string' && DIGITS.test(text)
function isAttribution(value: unknown): value is Attribution {
  const { tags, endUser, session } = (value ?? {}) as Record<string, unknown>
  const isText = (each: unknown) => typeof each === 'string'
  return Array.isArray(tags) && [...tags, endUser, session].every(isText)
}
const checksum = (text: string): string => Bun.hash.crc32(text).toString(16).padStart(8, '0')

// The order that some dialects insist on: roles that alternate, a user first, each call followed by its result.

import { RequestError } from '../reading.ts'
import type { CallPart, CanonicalRequest, InstructionText, Part, ResultPart, Turn } from '../request.ts'
import type { Warn } from '../warning.ts'
import { openCallIds } from './call-ids.ts'

/** A request whose turns alternate between user and assistant. Mid-conversation instructions are in the user's turns. */
export type Alternating = { instructions: readonly InstructionText[]; turns: readonly Turn[] }

/**
 * For targets that know users and assistants only: instructions in the middle become marked text of the user, names
 * become a part of what is said, results stand right after their calls, equals in a row become one, every call has an
 * id of its own, and a user begins. What only the caller's own dialect can say is gone.
 * `keepsInstructions`: the target takes instructions in the middle, right after what a user said.
 */
export function alternatingTurns(request: CanonicalRequest, warn: Warn, keepsInstructions = false): Alternating {
  if (isPlain(request.turns)) return { instructions: request.instructions, turns: request.turns }
  const spoken = request.turns.map((turn) => asSpoken(turn, warn)).filter((turn) => turn.parts.length > 0)
  const placed = merge(withResultsInPlace(merge(keepsInstructions ? spoken : spoken.map(asUser)), warn))
  const merged = keepsInstructions
    ? merge(placed.map((turn, at) => (isInPlace(turn, placed[at - 1]) ? turn : asUser(turn))))
    : placed
  if (merged.length === 0) return instructionAsUser(request.instructions)
  const first = merged[0]
  const turns = first?.role === 'assistant' ? [CONTINUED, ...merged] : merged
  return { instructions: request.instructions, turns }
}

/** Users and assistants in turn, and nothing but text: as most conversations are, and there is nothing to do. */
function isPlain(turns: readonly Turn[]): boolean {
  let next: Turn['role'] = 'user'
  for (const { role, parts, name } of turns) {
    if (role !== next || parts.length === 0 || (name !== undefined && name !== '')) return false
    for (const part of parts) if (part.type !== 'text' || isEmptyText(part)) return false
    next = role === 'user' ? 'assistant' : 'user'
  }
  return turns.length > 0
}

const CONTINUED: Turn = { role: 'user', parts: [{ type: 'text', text: '(continued)' }] }

function asSpoken(turn: Turn, warn: Warn): Turn {
  const parts = turn.parts.filter((part) => !isEmptyText(part) && part.type !== 'foreign')
  if (turn.parts.some((part) => part.type === 'foreign')) warn('turns', 'dropped')
  if (turn.role === 'system') return { role: 'system', parts }
  if (turn.name === undefined || turn.name === '') return { role: turn.role, parts }
  warn('name', 'changed')
  return { role: turn.role, parts: withName(parts, turn.name) }
}

const isInPlace = (turn: Turn, before: Turn | undefined): boolean =>
  before?.role === 'user' && turn.parts.every((part) => part.type === 'text')

function asUser(turn: Turn): Turn {
  if (turn.role !== 'system') return turn
  const marked = (part: Part): Part =>
    part.type === 'text' ? { ...part, text: `<system-instruction>${part.text}</system-instruction>` } : part
  return { role: 'user', parts: turn.parts.map(marked) }
}

/** The speaker's name before the first text; alone if there is no text, as beside an image. */
export function withName(parts: readonly Part[], name: string): Part[] {
  const first = parts.findIndex((part) => part.type === 'text')
  if (first < 0) return parts.length === 0 ? [] : [{ type: 'text', text: `${name}:` }, ...parts]
  return parts.map((part, at) =>
    at === first && part.type === 'text' ? { ...part, text: `${name}: ${part.text}` } : part,
  )
}

/** Some vendors reject text that is only whitespace. Even empty text is sent back if it has a signature. */
const isEmptyText = (part: Part): boolean =>
  part.type === 'text' && part.signature === undefined && part.text.trim() === ''

function merge(turns: readonly Turn[]): Turn[] {
  const merged: { role: Turn['role']; parts: Part[] }[] = []
  for (const turn of turns) {
    const last = merged.at(-1)
    if (last?.role === turn.role) for (const part of turn.parts) last.parts.push(part)
    else merged.push({ role: turn.role, parts: [...turn.parts] })
  }
  return merged
}

/** A call that waits for its result, under the id that it goes out with. */
type Waiting = {
  call: CallPart
  result: ResultPart | undefined
  /** The how-manieth result answered it; those without one come last. */
  order: number
}

/** In the order of the calls, which is all that identifies them in one dialect. A result without a call is rejected. */
function withResultsInPlace(turns: readonly Turn[], warn: Warn): readonly Turn[] {
  if (!speakOfTools(turns)) return turns
  const { placed, answersOf } = matchResults(turns, ({ callId, at }) => {
    const message = `There is a tool result for '${callId}', but no tool call with this id before it.`
    throw new RequestError('bad_request', at, message)
  })
  return placed.flatMap((turn) => {
    const results = (answersOf.get(turn) ?? []).map((asked) => asked.result ?? noOutput(asked.call, warn))
    return followedBy(turn, results)
  })
}

/**
 * For targets that only want every call answered: results stand right behind their calls, in the caller's order. A
 * result without a call stays in its place: the upstream decides whether it is an error.
 */
export function answeredTurns(turns: readonly Turn[], warn: Warn): Turn[] {
  if (!speakOfTools(turns)) return turns.filter(({ parts }) => parts.length > 0)
  const { placed, answersOf } = matchResults(turns, () => {})
  return placed.flatMap((turn) => {
    const answers = [...(answersOf.get(turn) ?? [])].sort((one, other) => one.order - other.order)
    return followedBy(
      turn,
      answers.map(({ call, result }) => result ?? noOutput(call, warn)),
    )
  })
}

/** Most conversations do not, and then there is nothing to put in order. */
const speakOfTools = (turns: readonly Turn[]): boolean =>
  turns.some(({ parts }) => parts.some(({ type }) => type === 'call' || type === 'result'))

function followedBy(turn: Turn, results: ResultPart[]): Turn[] {
  const turns: Turn[] = turn.parts.length > 0 ? [turn] : []
  if (results.length > 0) turns.push({ role: 'user', parts: results })
  return turns
}

/** Calls of one turn with the same id, and the next of them to be answered. Some models give one id again and again. */
type Queue = { turn: Turn; calls: Waiting[]; next: number }

type Matched = {
  /** Without their results. */
  placed: Turn[]
  /** The calls of a turn that must be answered right after it. */
  answersOf: ReadonlyMap<Turn, readonly Waiting[]>
}

/** `orphan`: called with each result that belongs to no call. The result stays where it is. */
function matchResults(turns: readonly Turn[], orphan: (result: ResultPart) => void): Matched {
  const placed: { turn: Turn; answers: Waiting[] }[] = []
  const waiting = new Map<string, Queue>()
  const ownId = openCallIds()
  let results = 0
  for (const turn of turns) {
    const parts: Part[] = []
    const answers: Waiting[] = []
    for (const part of turn.parts) {
      if (part.type === 'call') {
        const own: Waiting = {
          call: { ...part, id: ownId(part.id) },
          result: undefined,
          order: Number.MAX_SAFE_INTEGER,
        }
        // An id that is used again is answered in order; a later turn's use of it is not answered by an earlier one's.
        const known = waiting.get(part.id)
        const queue = known?.turn === turn ? known : { turn, calls: [], next: 0 }
        queue.calls.push(own)
        waiting.set(part.id, queue)
        answers.push(own)
        parts.push(own.call)
        continue
      }
      const queue = part.type === 'result' ? waiting.get(part.callId) : undefined
      const asked = queue?.calls[queue.next]
      if (part.type === 'result' && queue !== undefined && asked !== undefined) {
        queue.next++
        asked.result = { ...part, callId: asked.call.id }
        asked.order = results++
        continue
      }
      if (part.type === 'result') orphan(part)
      parts.push(part)
    }
    placed.push({ turn: { ...turn, parts }, answers })
  }
  // Calls at the very end are not answered yet, unless one of them is.
  const lastAt = placed.findLastIndex(({ turn }) => turn.parts.length > 0)
  const isAnswered = (answers: readonly Waiting[], at: number): boolean =>
    at < lastAt || answers.some(({ result }) => result !== undefined)
  const answersOf = new Map(
    placed.filter(({ answers }, at) => isAnswered(answers, at)).map(({ turn, answers }) => [turn, answers]),
  )
  return { placed: placed.map(({ turn }) => turn), answersOf }
}

function noOutput(call: CallPart, warn: Warn): ResultPart {
  warn('turns', 'assumed')
  return { type: 'result', callId: call.id, parts: [{ type: 'text', text: 'no output' }], isError: true }
}

/** Only instructions and no turns: the last instruction becomes the user's turn. */
function instructionAsUser(instructions: readonly InstructionText[]): Alternating {
  const last = instructions.at(-1)
  if (last === undefined)
    throw new RequestError('bad_request', undefined, 'There is no text to answer in this request.')
  return {
    instructions: instructions.slice(0, -1),
    turns: [{ role: 'user', parts: [{ type: 'text', text: last.text }] }],
  }
}

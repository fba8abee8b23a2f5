// The order that some dialects insist on: roles that alternate, a user first, each call followed by its result.

import { Mistake } from './reading.ts'
import type { CanonicalRequest, InstructionText, Part, ResultPart, Turn } from './request.ts'
import type { Warn } from './warning.ts'

/** A request whose turns alternate between user and assistant. Mid-conversation instructions are in the user's turns. */
export type Alternating = { instructions: readonly InstructionText[]; turns: readonly Turn[] }

/**
 * For targets that know users and assistants only: instructions in the middle become marked text of the user, results
 * stand right after their calls, equals in a row become one, and a user begins.
 */
export function alternatingTurns(request: CanonicalRequest, warn: Warn): Alternating {
  const spoken = request.turns.map(asSpoken).filter((turn) => turn.parts.length > 0)
  const merged = merge(withResultsInPlace(merge(spoken), warn))
  if (merged.length === 0) return instructionAsUser(request.instructions)
  const first = merged[0]
  const turns = first?.role === 'assistant' ? [CONTINUED, ...merged] : merged
  return { instructions: request.instructions, turns }
}

const CONTINUED: Turn = { role: 'user', parts: [{ type: 'text', text: '(continued)' }] }

function asSpoken(turn: Turn): Turn {
  const parts = turn.parts.filter((part) => !isEmptyText(part))
  if (turn.role !== 'system') return { ...turn, parts }
  const marked = parts.map(
    (part): Part =>
      part.type === 'text' ? { ...part, text: `<system-instruction>${part.text}</system-instruction>` } : part,
  )
  return { role: 'user', parts: marked }
}

/** Text of nothing but spaces is refused by some vendors. A signature makes even empty text worth sending back. */
const isEmptyText = (part: Part): boolean =>
  part.type === 'text' && part.signature === undefined && part.text.trim() === ''

function merge(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = []
  for (const turn of turns) {
    const last = merged.at(-1)
    if (last?.role === turn.role) merged[merged.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] }
    else merged.push(turn)
  }
  return merged
}

/** All results that answer one assistant's turn, at the beginning of the user's turn that follows it. */
function withResultsInPlace(turns: readonly Turn[], warn: Warn): Turn[] {
  const results = new Map<string, ResultPart[]>()
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.type === 'result') results.set(part.callId, [...(results.get(part.callId) ?? []), part])
    }
  }
  const placed: Turn[] = []
  for (const [at, turn] of turns.entries()) {
    const others = turn.parts.filter((part) => part.type !== 'result')
    placed.push({ ...turn, parts: others })
    if (turn.role !== 'assistant') continue
    const calls = others.filter((part) => part.type === 'call')
    const isLast = at === turns.length - 1
    const answers = calls.flatMap((call) => {
      const answer = results.get(call.id)?.shift()
      if (answer !== undefined) return [answer]
      if (isLast) return []
      warn('turns', 'assumed')
      return [noOutput(call.id)]
    })
    if (answers.length > 0) placed.push({ role: 'user', parts: answers })
  }
  for (const [callId, left] of results) {
    const orphan = left[0]
    if (orphan !== undefined) throw orphanMistake(callId, orphan)
  }
  return placed.filter((turn) => turn.parts.length > 0)
}

const noOutput = (callId: string): ResultPart => ({
  type: 'result',
  callId,
  parts: [{ type: 'text', text: 'no output' }],
  isError: true,
})

const orphanMistake = (callId: string, result: ResultPart): Mistake =>
  new Mistake(
    'bad_request',
    result.at,
    `There is a tool result for '${callId}', but no tool call with this id before it.`,
  )

/** Only instructions and nobody speaking: the last of them is what the model is to answer. */
function instructionAsUser(instructions: readonly InstructionText[]): Alternating {
  const last = instructions.at(-1)
  if (last === undefined) throw new Mistake('bad_request', undefined, 'There is no text to answer in this request.')
  return {
    instructions: instructions.slice(0, -1),
    turns: [{ role: 'user', parts: [{ type: 'text', text: last.text }] }],
  }
}

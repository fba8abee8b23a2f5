// The conversation goes on: what the model said, and what became of the images that it called for.

import type { Block, CallBlock, CanonicalReply } from '@trivium/protocol/canonical/reply.ts'
import type { CanonicalRequest, Part, ResultPart, ToolChoice, Turn } from '@trivium/protocol/canonical/request.ts'
import { utf8Length } from '@trivium/protocol/canonical/utf8.ts'
import type { PlannedAttempt } from '../text/request.ts'

export type CallResult = { call: CallBlock; said: string; isError: boolean }

/** Calls of the function apart from the rest: what the model says, and calls of the caller's own tools. */
export function splitReply({ choices }: CanonicalReply, functionName: string) {
  const blocks = choices[0]?.blocks ?? []
  const isCall = (block: Block): block is CallBlock => block.type === 'call'
  const calls = blocks.filter(isCall)
  return {
    said: blocks.filter((block) => !isCall(block)),
    imageCalls: calls.filter(({ name }) => name === functionName),
    otherCalls: calls.filter(({ name }) => name !== functionName),
    stop: choices[0]?.stop,
  }
}

/** The request that continues after the reply with the results of all its calls. */
export function followUp(
  planned: PlannedAttempt,
  reply: CanonicalReply,
  results: readonly CallResult[],
): PlannedAttempt {
  const { request } = planned
  const { parsed } = request
  const asked = parsed.canonical()
  const turns = turnsOf(reply, results)
  const canonical: CanonicalRequest = {
    ...asked,
    turns: [...asked.turns, ...turns],
    ...(asked.toolChoice === undefined ? {} : { toolChoice: freed(asked.toolChoice) }),
  }
  const textBytes = parsed.textBytes + utf8Length(JSON.stringify(turns))
  return { ...planned, request: { ...request, parsed: { ...parsed, textBytes, canonical: () => canonical } } }
}

/** A call that was demanded has been made: demanded again, it would never end. */
function freed(choice: ToolChoice): ToolChoice {
  if (choice.mode === 'tool' || choice.mode === 'required') return { mode: 'auto' }
  return choice.mode === 'allowed' ? { ...choice, required: false } : choice
}

function turnsOf({ choices }: CanonicalReply, results: readonly CallResult[]): Turn[] {
  const parts = (choices[0]?.blocks ?? []).flatMap(partOf)
  return [
    { role: 'assistant', parts },
    { role: 'user', parts: results.map(resultOf) },
  ]
}

function partOf(block: Block): Part[] {
  switch (block.type) {
    case 'text': {
      const { text, signature } = block
      return [{ type: 'text', text, ...(signature === undefined ? {} : { signature }) }]
    }
    case 'media':
    case 'search':
      return []
    default:
      return [block]
  }
}

const resultOf = ({ call, said, isError }: CallResult): ResultPart => ({
  type: 'result',
  callId: call.id,
  name: call.name,
  parts: [{ type: 'text', text: said }],
  ...(isError ? { isError } : {}),
})

// Ids of calls. In this dialect they are optional: calls and results then belong together by name and order.

import { isObject, type Json } from '../../../canonical/reading.ts'
import { camel } from './fields.ts'

export type CallMatcher = {
  /** The id under which this call is known from now on. */
  call(given: string | undefined, name: string): string
  /** The id of the call that a result answers; one that no call has when there is none. */
  result(given: string | undefined, name: string | undefined): string
}

type Waiting = { id: string; isAnswered: boolean }

/** `contents`: all of them, since a made-up id must not be one that comes later. */
export function openCallMatcher(contents: readonly Json[]): CallMatcher {
  /** Looked for when the first id has to be made up. */
  let given: ReadonlySet<string> | undefined
  const isFree = (made: string): boolean => {
    given ??= givenIds(contents)
    return !given.has(made)
  }
  const used = new Set<string>()
  const repeats = new Map<string, number>()
  const byId = openShelf()
  const byName = openShelf()
  /** A call that has an id of its own is not answered by a result with another one. */
  const byNameAlone = openShelf()
  let position = 0
  let step = 0
  let isAnswering = false

  function unused(wanted: string, isMade: boolean): string {
    let id = wanted
    while (used.has(id) || (isMade && !isFree(id))) {
      const count = (repeats.get(wanted) ?? 1) + 1
      repeats.set(wanted, count)
      id = `${wanted}_${count}`
    }
    used.add(id)
    return id
  }

  return {
    call(own, name) {
      if (isAnswering) step++
      isAnswering = false
      const isGiven = own !== undefined && own !== ''
      const id = unused(isGiven ? own : `call_${position}`, !isGiven)
      position++
      const call = { id, isAnswered: false }
      if (isGiven) byId.put(own, step, call)
      else byNameAlone.put(name, step, call)
      byName.put(name, step, call)
      return id
    },
    result(own, name) {
      isAnswering = true
      const isGiven = own !== undefined && own !== ''
      const found = isGiven ? (byId.take(own) ?? byNameAlone.take(name ?? '')) : byName.take(name ?? '')
      return found ?? (isGiven ? own : (name ?? ''))
    },
  }
}

type Shelf = { put(key: string, step: number, call: Waiting): void; take(key: string): string | undefined }

/**
 * Calls under a key, in the order of each step, the latest step first: an old call that was never answered must not
 * take the answer of a new one. Each is looked at once, however many there are.
 */
function openShelf(): Shelf {
  const steps = new Map<string, { step: number; calls: Waiting[]; next: number }[]>()
  return {
    put(key, step, call) {
      const stack = steps.get(key) ?? []
      steps.set(key, stack)
      const top = stack.at(-1)
      if (top?.step === step) top.calls.push(call)
      else stack.push({ step, calls: [call], next: 0 })
    },
    take(key) {
      const stack = steps.get(key)
      for (let top = stack?.at(-1); top !== undefined; top = stack?.at(-1)) {
        const call = top.calls[top.next++]
        if (call === undefined) stack?.pop()
        else if (!call.isAnswered) {
          call.isAnswered = true
          return call.id
        }
      }
      return undefined
    },
  }
}

function givenIds(contents: readonly Json[]): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const content of contents) {
    for (const value of Array.isArray(content.parts) ? content.parts : [content.parts]) {
      const part = isObject(value) ? camel(value) : undefined
      if (isObject(part?.functionCall) && typeof part.functionCall.id === 'string') ids.add(part.functionCall.id)
    }
  }
  return ids
}

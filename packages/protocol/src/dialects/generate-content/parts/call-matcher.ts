// Ids of calls. In this dialect they are optional: calls and results then belong together by name and order.

import { isObject, type Json } from '../../../canonical/reading.ts'
import { camel } from './fields.ts'

export type CallMatcher = {
  /** The id under which this call is known from now on. */
  call(given: string | undefined, name: string): string
  /** The id of the call that a result answers; one that no call has when there is none. */
  result(given: string | undefined, name: string | undefined): string
}

type Waiting = { id: string; given: string | undefined; name: string; step: number }

/** `contents`: all of them, since a made-up id must not be one that comes later. */
export function openCallMatcher(contents: readonly Json[]): CallMatcher {
  const taken = givenIds(contents)
  const used = new Set<string>()
  let waiting: Waiting[] = []
  let position = 0
  let step = 0
  let isAnswered = false

  /** The latest calls first: an old one that was never answered must not take the answer of a new one. */
  function take(fits: (call: Waiting) => boolean): string | undefined {
    const fitting = waiting.filter(fits)
    const latest = Math.max(...fitting.map((call) => call.step))
    const found = fitting.find((call) => call.step === latest)
    waiting = waiting.filter((call) => call !== found)
    return found?.id
  }

  return {
    call(given, name) {
      if (isAnswered) step++
      isAnswered = false
      const own = given === undefined || given === '' ? undefined : given
      const id = own === undefined ? unused(`call_${position}`, taken, used) : unused(own, undefined, used)
      position++
      used.add(id)
      waiting.push({ id, given: own, name, step })
      return id
    },
    result(given, name) {
      isAnswered = true
      const own = given === undefined || given === '' ? undefined : given
      const byId = own === undefined ? undefined : take((call) => call.given === own)
      if (byId !== undefined) return byId
      // A call that had an id of its own is not answered by one with another id.
      const byName = take((call) => call.name === name && (own === undefined || call.given === undefined))
      return byName ?? own ?? name ?? ''
    },
  }
}

function unused(wanted: string, taken: ReadonlySet<string> | undefined, used: ReadonlySet<string>): string {
  const isFree = (id: string): boolean => !used.has(id) && taken?.has(id) !== true
  if (isFree(wanted)) return wanted
  for (let count = 2; ; count++) if (isFree(`${wanted}_${count}`)) return `${wanted}_${count}`
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

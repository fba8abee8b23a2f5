// Ids of calls: services leave them out or give one twice, and every client needs each to be there, and to be one.

import { shortHash } from './tool-names.ts'

/** Made of what the answer is known by, so that the same answer always has the same ids. */
export function missingCallId(replyId: string | undefined, choice: number, position: number): string {
  return `call_${shortHash(`${replyId ?? ''}/${choice}`)}_${position}`
}

/**
 * Within one choice, or one history: the second of the same id gets another. Some vendors reject two calls with one id.
 * Where to look next is remembered: a caller may send one id a hundred thousand times.
 */
export function openCallIds(): (id: string) => string {
  const taken = new Set<string>()
  const nextOf = new Map<string, number>()
  return (given) => {
    let id = given
    let again = nextOf.get(given) ?? 2
    while (taken.has(id)) id = `${given}_${again++}`
    taken.add(id)
    nextOf.set(given, again)
    return id
  }
}

/** For answers of one choice: each call's id as it was given, one that is made where none was, another for a second. */
export function openNamedCalls(replyId: () => string | undefined): (given: string) => string {
  const distinct = openCallIds()
  let position = 0
  return (given) => distinct(given === '' ? missingCallId(replyId(), 0, position++) : given)
}

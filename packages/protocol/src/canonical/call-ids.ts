// Ids of calls: services leave them out or give one twice, and every client needs each to be there, and to be one.

import { shortHash } from './tool-names.ts'

/** Made of what the answer is known by, so that the same answer always has the same ids. */
export function missingCallId(replyId: string | undefined, choice: number, position: number): string {
  return `call_${shortHash(`${replyId ?? ''}/${choice}`)}_${position}`
}

/** Within one choice: the second of the same id gets another. */
export function openCallIds(): (id: string) => string {
  const taken = new Set<string>()
  return (given) => {
    let id = given
    for (let again = 2; taken.has(id); again++) id = `${given}_${again}`
    taken.add(id)
    return id
  }
}

/** For answers of one choice: each call's id as it was given, one that is made where none was, another for a second. */
export function openNamedCalls(replyId: () => string | undefined): (given: string) => string {
  const distinct = openCallIds()
  let position = 0
  return (given) => distinct(given === '' ? missingCallId(replyId(), 0, position++) : given)
}

// Callers may spell a field `likeThis` or `like_this`. It is read as the first, and what is wrong with it is told in
// the caller's own spelling.

import { isObject, Mistake } from '../../../canonical/reading.ts'

/** The same Mistake with its field as it stands in the body; anything else as it is. */
export function inCallersSpelling(thrown: unknown, body: unknown): unknown {
  if (!(thrown instanceof Mistake) || thrown.info.param === undefined) return thrown
  const { code, param, message } = thrown.info
  const written = asWritten(param, body)
  return written === param ? thrown : new Mistake(code, written, message.replaceAll(param, written))
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** `contents[0].parts[1].inlineData.data`. A field that is missing is spelled as those around it. */
function asWritten(path: string, body: unknown): string {
  let at = body
  let isSnake = false
  const steps = path.split('.').map((step) => {
    const [, name = '', places = ''] = /^([^[]*)(.*)$/.exec(step) ?? []
    const other = snake(name)
    const isOther = isObject(at) && !(name in at) && (other in at || isSnake)
    isSnake ||= isOther && other !== name
    at = within(isObject(at) ? at[isOther ? other : name] : undefined, places)
    return (isOther ? other : name) + places
  })
  return steps.join('.')
}

/** `[2][0]`; one object stands for a list of one. */
function within(value: unknown, places: string): unknown {
  let at = value
  for (const [, place] of places.matchAll(/\[(\d+)\]/g)) at = Array.isArray(at) ? at[Number(place)] : at
  return at
}

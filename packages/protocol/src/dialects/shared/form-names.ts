// Names of form fields obey the rules of JSON names: a field in another case than a known one, or one that comes twice, could
// be read by an upstream as something that has not been priced.

import { wrong } from '../../canonical/reading.ts'
import { type Names, otherCaseOf } from './pass-through/known-names.ts'

/** `image[]` and `image[3]` are elements of a list: those may be many. */
const ELEMENT = /\[\d{0,4}\]$/

/** `isList`: whether a known name may be written as an element of a list. Throws RequestError. */
export function checkFormNames(names: readonly string[], known: Names, isList: (name: string) => boolean): void {
  const seen = new Set<string>()
  for (const name of names) {
    const base = name.replace(ELEMENT, '')
    const isElement = base !== name
    const exact = known.exact.has(base) ? base : undefined
    const other = exact ?? otherCaseOf(known, base)
    if (other !== undefined && (exact === undefined || (isElement && !isList(exact))))
      throw wrong(name, `${name} is not a known field, but some upstreams would read it as ${other}. Write ${other}.`)
    if (isElement || isList(base)) continue
    if (seen.has(name)) throw wrong(name, `The form has the field ${name} twice`)
    seen.add(name)
  }
}

// Pages of a list that is computed as a whole, in any order: an id names the place where a page begins.
import { type Page, readPlace } from '../inputs/page.ts'

/** An id that is no longer in the list begins at its beginning. */
export function pageInOrder<Row>(
  all: readonly Row[],
  idOf: (row: Row) => string,
  input: { after?: string; before?: string; limit?: number },
): Page<Row> {
  const { place, limit } = readPlace(input, (id) => id)
  const placeOf = (id: string) => all.findIndex((row) => idOf(row) === id)
  if (place.before === undefined) {
    const start = place.after === undefined ? 0 : placeOf(place.after) + 1
    const items = all.slice(start, start + limit)
    const last = items.at(-1)
    return { items, next: start + limit < all.length && last ? idOf(last) : null }
  }
  const end = Math.max(0, placeOf(place.before))
  const items = all.slice(Math.max(0, end - limit), end)
  const [first] = items
  return { items, next: end > limit && first ? idOf(first) : null }
}

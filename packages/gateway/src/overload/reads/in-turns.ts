// Long lists are shown piece by piece: between two pieces the event loop handles the events of other requests.

/** About half a millisecond of work for lists of receipts. */
const PIECE = 20

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export async function mapInTurns<T, R>(items: readonly T[], show: (item: T) => R, piece = PIECE): Promise<R[]> {
  const shown: R[] = []
  for (let from = 0; from < items.length; from += piece) {
    if (from > 0) await nextTurn()
    for (const item of items.slice(from, from + piece)) shown.push(show(item))
  }
  return shown
}

// Rules that go by the name of a model, found once for each.

/** More names than an operator writes down; those of requests that pass are anybody's. */
const MOST_MODELS = 1_000

/** For what only a model's name tells, and every request asks: what was found is kept. */
export function byModel<Found extends object>(find: (model: string) => Found): (model: string) => Found {
  const known = new Map<string, Found>()
  return (model) => {
    let found = known.get(model)
    if (found === undefined) {
      if (known.size >= MOST_MODELS) known.clear()
      found = find(model)
      known.set(model, found)
    }
    return found
  }
}

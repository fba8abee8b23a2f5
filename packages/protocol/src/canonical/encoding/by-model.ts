// Rules that depend on the name of a model, looked up once for each.

/** More names than an operator configures. Bounded, because pass-through requests may contain any name. */
const MOST_MODELS = 1_000

/** Caches what `find` derives from a model's name, since every request needs it. */
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

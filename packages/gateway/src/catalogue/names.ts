// Which model a name means now: aliases lead to theirs, and ids that are retired to what replaces them, from their date on.
import type { AnyModel } from '../modalities/index.ts'

export type Names = {
  /** The id of the model that a name means now: the name itself, unless it is an alias or retired. undefined: retired for good. */
  idOf(name: string): string | undefined
  isRetired(id: string): boolean
  /** Since when a model exists no more; undefined: it exists, never existed, or has another in its place. */
  retiredOn(id: string): string | undefined
  /** How many models are retired by now. */
  retired(): number
}

export function namesOf(models: ReadonlyMap<string, AnyModel>, clock: () => number): Names {
  const aliases = new Map([...models.values()].flatMap(({ id, aliases = [] }) => aliases.map((name) => [name, id])))
  const dates = [...models.values()].flatMap(({ retirement }) => (retirement ? [retirement.at] : []))
  const retirementOf = (id: string) => {
    const retirement = models.get(id)?.retirement
    return retirement && retirement.at <= clock() ? retirement : undefined
  }
  return {
    idOf(name) {
      let id: string | undefined = models.has(name) ? name : (aliases.get(name) ?? name)
      // Loops are mistakes of the configuration; what is left out of it makes none.
      for (let retired = retirementOf(id); retired; retired = id === undefined ? undefined : retirementOf(id))
        id = retired.replacedBy
      return id
    },
    isRetired: (id) => retirementOf(id) !== undefined,
    retiredOn: (id) => {
      const retired = retirementOf(id)
      return retired && retired.replacedBy === undefined ? retired.date : undefined
    },
    retired: () => (dates.length === 0 ? 0 : dates.filter((at) => at <= clock()).length),
  }
}

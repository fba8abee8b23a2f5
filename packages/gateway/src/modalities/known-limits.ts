// Limits that the file does not set.
import type { Modality, Model } from './modality.ts'

/** They are those of the well-known model behind the first route that has one. `merge`: the file's own come first. */
export const fromFirstRoute =
  <Price, Limits>(merge: (known: Limits, written: Limits) => Limits): Modality<Price, Limits>['withKnownLimits'] =>
  (model: Model<Price, Limits>, knownLimits) => {
    const known = model.routes.map(knownLimits).find((limits) => limits !== undefined)
    return known === undefined ? model : { ...model, limits: merge(known, model.limits) }
  }

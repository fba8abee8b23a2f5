// Packages of frameworks, by names that are computed, so that the type check does not load the types of fifteen packages.
import { existsSync } from 'node:fs'

/** In the checkout they are those of the exhaustive tests; an installed court has its own. */
const OF_THE_CHECKOUT = new URL('../../exhaustive/package.json', import.meta.url)
const isCheckout = process.versions.bun !== undefined && existsSync(OF_THE_CHECKOUT)

export const load = async <T>(name: string): Promise<T> =>
  (await import(isCheckout ? Bun.resolveSync(name, new URL('.', OF_THE_CHECKOUT).pathname) : name)) as T

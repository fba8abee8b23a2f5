// What a product claims to serve, by its own documentation. Cells of the rest count apart.
import type { Cell } from './cell.ts'

/** Each given field must match: `endpoint` and `name` by their beginning, the others whole. */
export type Exception = Partial<Pick<Cell, 'area' | 'dialect' | 'endpoint' | 'client' | 'name'>> & {
  /** As the gateway calls it. */
  model?: string
  why: string
}

export type Claims = { product: string; exceptions: readonly Exception[] }

export const EVERYTHING: Claims = { product: 'gateway', exceptions: [] }

export function reasonNotToClaim(
  { exceptions }: Claims,
  cell: Omit<Cell, 'model' | 'run'>,
  called: string,
): string | undefined {
  return exceptions.find(
    ({ area, dialect, endpoint, client, name, model }) =>
      (area === undefined || cell.area === area) &&
      (dialect === undefined || cell.dialect === dialect) &&
      (client === undefined || cell.client === client) &&
      (model === undefined || called === model) &&
      (endpoint === undefined || cell.endpoint.startsWith(endpoint)) &&
      (name === undefined || cell.name.startsWith(name)),
  )?.why
}

/** From a file; throws what is wrong with it. */
export function readClaims(text: string): Claims {
  const { product, exceptions } = JSON.parse(text) as Partial<Claims>
  if (typeof product !== 'string' || !Array.isArray(exceptions))
    throw new Error('a file of claims has the fields "product" (a text) and "exceptions" (a list)')
  const wrong = exceptions.find((each: Partial<Exception>) => typeof each?.why !== 'string')
  if (wrong !== undefined) throw new Error(`an exception without "why": ${JSON.stringify(wrong)}`)
  return { product, exceptions }
}

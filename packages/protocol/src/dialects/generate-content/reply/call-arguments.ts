// Arguments that an upstream streams in pieces, each at its place in the object: `$.stops[0].name`, `$['a b']`.

import { isObject } from '../../../canonical/reading.ts'

export type GrowingArguments = {
  add(piece: unknown): void
  /** Whole arguments that came beside the pieces. */
  merge(args: unknown): void
  json(): string
}

/** Names are those of a model: without a prototype, `__proto__` is a name like any other. */
type Branch = Record<string, unknown> | unknown[]

const newObject = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>

export function growingArguments(): GrowingArguments {
  const root = newObject()
  /** Where a text goes on with the next piece. */
  let openPath: string | undefined
  return {
    add(piece) {
      if (!isObject(piece) || typeof piece.jsonPath !== 'string') return
      const value = pieceValue(piece)
      if (value === undefined) return
      const goesOn = openPath === piece.jsonPath
      openPath = piece.willContinue === true ? piece.jsonPath : undefined
      put(root, stepsOf(piece.jsonPath), value, goesOn)
    },
    merge(args) {
      if (isObject(args)) for (const [name, value] of Object.entries(args)) root[name] = value
    },
    json: () => JSON.stringify(root),
  }
}

function pieceValue(piece: Record<string, unknown>): unknown {
  if (piece.stringValue !== undefined) return String(piece.stringValue)
  if (piece.numberValue !== undefined) return piece.numberValue
  if (piece.boolValue !== undefined) return piece.boolValue
  return 'nullValue' in piece ? null : undefined
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/g

function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(STEP)].map(([, name, index, quoted, doubled]) => {
    if (index !== undefined) return Number(index)
    return name ?? (quoted ?? doubled ?? '').replace(/\\(.)/g, '$1')
  })
}

function put(root: Branch, steps: readonly (string | number)[], value: unknown, goesOn: boolean): void {
  const last = steps.at(-1)
  if (last === undefined) return
  let branch = root
  for (const [depth, step] of steps.slice(0, -1).entries()) {
    const held = at(branch, step)
    const inner: Branch =
      typeof held === 'object' && held !== null
        ? (held as Branch)
        : typeof steps[depth + 1] === 'number'
          ? []
          : newObject()
    set(branch, step, inner)
    branch = inner
  }
  const held = at(branch, last)
  set(branch, last, goesOn && typeof held === 'string' && typeof value === 'string' ? held + value : value)
}

const at = (branch: Branch, step: string | number): unknown =>
  Array.isArray(branch) ? branch[Number(step)] : branch[step]

/** A list grows by one at most, or a single piece could make it as long as memory. */
function set(branch: Branch, step: string | number, value: unknown): void {
  if (!Array.isArray(branch)) branch[step] = value
  else branch[Math.min(Number(step) || 0, branch.length)] = value
}

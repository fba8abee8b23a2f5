// The only reader of the configuration file. All mistakes are reported together.
import { readFileSync } from 'node:fs'
import { assemble, type LoadResult } from './config/assemble.ts'
import { describeSystemError } from './config/system-error.ts'
import type { BuiltIn } from './config/upstream-kinds.ts'
import type { Variables } from './environment.ts'
import { memoryLimit } from './process/memory-limit.ts'
import { KINDS } from './upstreams/kinds/index.ts'
import { baseName } from './upstreams/prices/base-name.ts'
import { capabilitiesOf } from './upstreams/prices/capabilities.ts'
import { knownLimits } from './upstreams/prices/known-limits.ts'
import { mayBeListed, type PriceList, readPriceList } from './upstreams/prices/price-list.ts'
import { EMPTY_FILE, isEmptyDocument } from './yaml/document.ts'

export type { LoadResult } from './config/assemble.ts'

let list: PriceList | undefined

function priceList(): PriceList {
  list ??= readPriceList()
  return list
}

const NO_LIST: PriceList = { date: '', vendors: [] }
const listFor = (model: string): PriceList => ([model, baseName(model)].some(mayBeListed) ? priceList() : NO_LIST)

export const BUILT_IN: BuiltIn = {
  kinds: KINDS,
  priceList,
  capabilities: (model) => capabilitiesOf(listFor(model), model),
  limits: (type, model) => knownLimits(listFor(model), type, model),
  now: Date.now,
  memoryBytes: () => memoryLimit().bytes,
}

/** Without a path: the defaults. `env` supplies `${NAME}`. `mayBeEmpty`: only a start accepts an empty file. */
export function loadFile(path: string | undefined, env: Variables, mayBeEmpty = true): LoadResult {
  if (path === undefined) return assemble({ source: '', file: 'defaults', env }, BUILT_IN)
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    return mistakeIn(path, `cannot be read: ${describeSystemError(error)}`)
  }
  return loadBytes(path, bytes, env, mayBeEmpty)
}

const mistakeIn = (file: string, message: string): LoadResult => ({ mistakes: [{ file, line: undefined, message }] })

/** `bytes`: the contents of the file at `path`, which is not read again. */
export function loadBytes(path: string, bytes: Uint8Array, env: Variables, mayBeEmpty = true): LoadResult {
  let source: string
  try {
    source = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return mistakeIn(path, 'is not UTF-8 text')
  }
  try {
    if (!mayBeEmpty && isEmptyDocument(source)) return mistakeIn(path, EMPTY_FILE)
    return assemble({ source, file: path, env }, BUILT_IN)
  } catch (error) {
    // Thousands of nested brackets exhaust the parser's stack; a reload must survive that.
    if (error instanceof RangeError) return mistakeIn(path, 'is nested too deeply')
    throw error
  }
}

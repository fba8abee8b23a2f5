// The only reader of the configuration file. All mistakes are reported together.
import { readFileSync } from 'node:fs'
import { type AssembleResult, assemble } from '../config/assemble.ts'
import type { LookUp } from '../config/secrets/vault.ts'
import { describeSystemError } from '../config/system-error.ts'
import type { BuiltIn } from '../config/upstream-kinds.ts'
import type { ConfigFile, Stored } from '../operate/configuration/parts.ts'
import { memoryLimit } from '../process/memory-limit.ts'
import { KINDS } from '../upstreams/kinds/index.ts'
import { baseName, capabilitiesOf, knownLimits } from '../upstreams/prices/capabilities.ts'
import { builtInPriceList, mayBeListed, type PriceList } from '../upstreams/prices/price-list.ts'
import { EMPTY_FILE, isEmptyDocument } from '../yaml/document.ts'
import type { Variables } from './environment.ts'

export type { LoadResult } from '../config/assemble.ts'

const NO_LIST: PriceList = { date: '', vendors: [] }
const listFor = (model: string): PriceList =>
  [model, baseName(model)].some(mayBeListed) ? builtInPriceList() : NO_LIST

export const BUILT_IN: BuiltIn = {
  kinds: KINDS,
  priceList: builtInPriceList,
  capabilities: (model) => capabilitiesOf(listFor(model), model),
  limits: (type, model) => knownLimits(listFor(model), type, model),
  now: Date.now,
  memoryBytes: () => memoryLimit().bytes,
}

/** `env` supplies `${NAME}`. `mayBeEmpty`: only a start accepts an empty file. `lookUp`: absent, Vault is not read. */
export function loadFile(path: string | undefined, env: Variables, mayBeEmpty = true, lookUp?: LookUp): AssembleResult {
  const read = readConfigFile(path)
  return 'mistakes' in read ? read : assembleFile(read.file, NOTHING_STORED, env, { mayBeEmpty, lookUp })
}

const NOTHING_STORED: Stored = { revision: 0, entries: [] }

type Mistakes = Extract<AssembleResult, { config?: undefined }>
const mistakeIn = (file: string, message: string): Mistakes => ({ mistakes: [{ file, line: undefined, message }] })

/** Without a path: no file. */
export function readConfigFile(path: string | undefined): { file: ConfigFile | undefined } | Mistakes {
  if (path === undefined) return { file: undefined }
  try {
    return { file: { path, bytes: readFileSync(path) } }
  } catch (error) {
    return mistakeIn(path, `cannot be read: ${describeSystemError(error)}`)
  }
}

type AssembleOptions = {
  mayBeEmpty?: boolean
  strictly?: ReadonlySet<string> | undefined
  lookUp?: LookUp | undefined
}

/** The contents of a file, which is not read again, with stored entries. Without a file: the defaults. */
export function assembleFile(
  file: ConfigFile | undefined,
  { revision, entries: stored }: Stored,
  env: Variables,
  { mayBeEmpty = true, strictly, lookUp }: AssembleOptions = {},
): AssembleResult {
  const given = { env, stored, revision, lookUp, ...(strictly ? { strictly } : {}) }
  if (!file) return assemble({ source: '', file: 'defaults', ...given }, BUILT_IN)
  const { path, bytes } = file
  let source: string
  try {
    source = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return mistakeIn(path, 'is not UTF-8 text')
  }
  try {
    if (!mayBeEmpty && isEmptyDocument(source)) return mistakeIn(path, EMPTY_FILE)
    return assemble({ source, file: path, ...given }, BUILT_IN)
  } catch (error) {
    // Thousands of nested brackets exhaust the parser's stack; a reload must survive that.
    if (error instanceof RangeError) return mistakeIn(path, 'is nested too deeply')
    throw error
  }
}

// References to secrets: `${vault:path#key}` and `${file:path}` of the file, and what stored entries may refer to.
import { resolve } from 'node:path'
import type { ReadContext } from '../../yaml/document.ts'
import { mapSecrets } from '../secret-paths.ts'
import { OWN_VARIABLES, VAULT_VARIABLES } from '../settings/variables.ts'
import type { Expand, Remark } from '../stored.ts'
import type { SecretSettings } from './settings.ts'
import type { LookUp } from './vault.ts'

/** `name`: such as `vault:kv/data/trivium/openai#key`. `problem`: why it could not be read the last time. */
export type Reference = { name: string; problem: string | undefined }

const NOT_HERE: LookUp = () => {
  throw new Error('secrets of Vault are not read here')
}

/** Replaces the readers of the context. `settings`: undefined as long as they are being read themselves. What is read is noted in `seen`. */
export function openReferences(
  context: ReadContext,
  settings: () => SecretSettings | undefined,
  lookUp: LookUp = NOT_HERE,
  seen: Map<string, string | undefined>,
): Expand {
  const { readSecret: readFile, folder } = context
  const noted = (name: string, read: () => { value: string; problem: string | undefined }): string => {
    try {
      const { value, problem } = read()
      seen.set(name, problem)
      return value
    } catch (error) {
      seen.set(name, error instanceof Error ? error.message : String(error))
      throw error
    }
  }
  context.readSecret = (path) => noted(`file:${path}`, () => ({ value: readFile(path), problem: undefined }))
  context.readVault = (reference) =>
    noted(`vault:${reference}`, () => {
      const vault = settings()?.vault ?? 'the section secrets itself cannot refer to Vault'
      if (typeof vault === 'string') throw new Error(vault)
      return lookUp(vault, reference)
    })

  function readVariable(name: string): string {
    const value = Object.hasOwn(context.env, name) ? context.env[name] : undefined
    if (value === undefined) throw new Error('it is not set')
    context.variablesRead.add(name)
    return value
  }

  return (entry) => {
    const allow = settings()?.allow ?? []
    const [mistakes, warnings]: [Remark[], Remark[]] = [[], []]
    const value = mapSecrets(entry, (secret, at) => {
      if (typeof secret !== 'string') return secret
      return secret.replace(STORED, (written: string, kind?: string, path?: string, variable?: string) => {
        const named = path ?? variable
        // Two dollar signs: text that was never a reference.
        if (named === undefined) return written
        if (!allow.some((pattern) => matches(pattern, kind ?? 'env:', named, folder))) {
          // A variable's name may be a part of a real secret.
          if (kind) warnings.push({ at, message: `${written} is not expanded: secrets.allow does not name it` })
          return written
        }
        try {
          if (kind === 'vault:') return context.readVault(named)
          return kind ? context.readSecret(named) : readVariable(named)
        } catch (error) {
          mistakes.push({ at, message: `cannot use ${written}: ${error instanceof Error ? error.message : error}` })
          return ''
        }
      })
    })
    return { value, mistakes, warnings }
  }
}

const STORED = /\$\$\{|\$\{(?:(vault:|file:)([^{}\n]{1,1000})|([A-Za-z_][A-Za-z0-9_]*))\}/g

/** A path with dots would lead out of what is allowed, and a star must not name what protects the gateway itself. */
function matches(pattern: string, kind: string, named: string, folder: string): boolean {
  if (!pattern.startsWith(kind)) return false
  const isOpen = pattern.endsWith('*')
  const wanted = pattern.slice(kind.length, isOpen ? -1 : undefined)
  if (kind === 'file:') {
    const [path, allowed] = [resolve(folder, named), resolve(folder, isOpen ? `${wanted}x` : wanted)]
    return isOpen ? path.startsWith(allowed.slice(0, -1)) : path === allowed
  }
  if (!isOpen) return wanted === named || (kind === 'vault:' && named.startsWith(`${wanted}#`))
  if (kind === 'env:' && (OWN_VARIABLES.includes(named) || Object.hasOwn(VAULT_VARIABLES, named))) return false
  return named.startsWith(wanted) && !named.split(/[/#]/).some((step) => step === '..' || step === '.')
}

// The files that are mutated, and where their copies with the mutants are.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Mutant } from './mutant.ts'

export const ROOT = new URL('../..', import.meta.url).pathname
export const MONEY = join(ROOT, 'packages/gateway/src/money')

export type Copies = { folder: string; mutants: Mutant[] }

export async function copyWithMutants(): Promise<Copies> {
  // It loads a compiler, which the processes that only try mutants do not need.
  const { instrument } = await import('./instrument.ts')
  const folder = mkdtempSync(join(tmpdir(), 'trivium-mutants-'))
  const mutants: Mutant[] = []
  const files = [...new Bun.Glob('**/*.ts').scanSync(MONEY)].filter((file) => !file.endsWith('.test.ts')).sort()
  for (const file of files) {
    const copy = instrument(file, readFileSync(join(MONEY, file), 'utf8'), mutants.length + 1)
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), copy.text)
    mutants.push(...copy.mutants)
  }
  return { folder, mutants }
}

// One check of `doctor`: what it asks, and what it says.

/** `advice`: what to do if the check failed. */
export type Check = { check: string; ok: boolean; note: string; advice: string | null; warnings: readonly string[] }
export type Finding = string | { note: string; warnings: readonly string[] }

/** `ask` throws if the check fails; `advice` may depend on the reason. */
export type Question = {
  check: string
  advice: string | ((error: unknown) => string)
  ask(): Finding | Promise<Finding>
}

/** A check that does not answer must not keep the others from being shown. */
const WITHIN_MS = 15_000

export async function answer({ check, advice, ask }: Question, describe: (error: unknown) => string): Promise<Check> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${WITHIN_MS / 1_000} s`)), WITHIN_MS)
  try {
    const found = await Promise.race([ask(), late.promise])
    const { note, warnings } = typeof found === 'string' ? { note: found, warnings: [] } : found
    return { check, ok: true, note, advice: null, warnings }
  } catch (error) {
    const told = typeof advice === 'string' ? advice : advice(error)
    return { check, ok: false, note: describe(error), advice: told, warnings: [] }
  } finally {
    // `ask` may throw at once.
    clearTimeout(timer)
  }
}

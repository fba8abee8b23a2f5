// What a change does besides what was written, in words by their names: for the diff that a person sees before.
import { hasRealUpstream } from '../../config/sandbox.ts'
import { DEFAULT_GROUP } from '../../config/sections/groups.ts'
import type { FileConfig } from '../../config/types.ts'
import type { EntryChange } from '../../storage/storage.ts'

export function effectsOf(before: FileConfig, after: FileConfig, changes: readonly EntryChange[]) {
  const effects: Record<string, string> = {}
  if (before.sandbox.on && !after.sandbox.on)
    effects.sandbox_off = 'The sandbox is switched off: its models can no longer be called.'
  if (!before.sandbox.on && after.sandbox.on) effects.sandbox_on = 'The sandbox is switched on.'
  const isWritten = changes.some(({ kind, id }) => kind === 'setting' && id === 'registration.open')
  if (before.registration.open && !after.registration.open && !isWritten)
    effects.registration_closed = 'Registration is closed: set registration.open to keep it open.'
  if (!hasRealUpstream(before) && hasRealUpstream(after) && !after.registration.keepSandboxCredit)
    effects.trial_credit_taken_back = 'Unspent trial credit of the sandbox is taken back.'
  const groups = changes.filter(({ kind, before: was, after: is }) => kind === 'group' && was === undefined && is)
  if (groups.length > 1 && groups.some(({ id }) => id === DEFAULT_GROUP))
    effects.default_group_written = `The group '${DEFAULT_GROUP}' is written, too: every model at multiplier 1, as without groups.`
  return effects
}

// Where the form of a key finds groups and models, and how it saves: an account holder's own keys here, those of others elsewhere.

import { useQueryClient } from '@tanstack/react-query'
import { type ApiError, post, type Result } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import type { ChangeKey, GroupRow, KeyRow, KeyWithSecret, NewKey } from '../../api/types.ts'

/** A saved value that is undefined: the person did not go through with it, and the form stays. */
export type KeySource = {
  groups: { data: readonly GroupRow[] | undefined; error: ApiError | null; refetch(): unknown }
  modelsOf(group: string): string[]
  create(request: NewKey): Promise<Result<KeyWithSecret | undefined>>
  change(key: KeyRow, changes: ChangeKey): Promise<Result<KeyRow | undefined>>
  rotate(key: KeyRow, graceSeconds: number): Promise<Result<KeyWithSecret | undefined>>
  /** What the operator set binds the account holder, and not the operator. */
  hasCeiling: boolean
}

export function useOwnKeys(): KeySource {
  const queries = useQueryClient()
  const groups = useRead('groups')
  const { data: models } = useRead('models')
  const refreshed = async <T>(saving: Promise<Result<T>>): Promise<Result<T>> => {
    const result = await saving
    if (result.ok) void queries.invalidateQueries({ queryKey: ['keys'] })
    return result
  }
  return {
    groups,
    modelsOf: (group) =>
      (models ?? []).filter(({ prices }) => prices.some((each) => each.group === group)).map(({ id }) => id),
    create: (request) => refreshed(post('keys', request)),
    change: ({ id }, changes) => refreshed(post('keys/{id}', changes, { id })),
    rotate: ({ id }, grace_seconds) => refreshed(post('keys/{id}/rotate', { grace_seconds }, { id })),
    hasCeiling: true,
  }
}

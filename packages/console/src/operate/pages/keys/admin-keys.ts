// Keys of any account in the form that account holders have: each change is an act with a dry run and a reason.

import type { Result } from '../../../api/client.ts'
import type { KeyWithSecret } from '../../../api/types.ts'
import { useTexts } from '../../../i18n/language.tsx'
import type { KeySource } from '../../../pages/keys/key-source.ts'
import { rehearse } from '../../api/client.ts'
import { useAdmin } from '../../api/queries.ts'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'

const ALL = { limit: '1000' }

/** `account`: for new keys. */
export function useAdminKeys(account?: string): KeySource {
  const { rotate } = useTexts().keys
  const act = useAct()
  const words = useWords()
  const groups = useAdmin('groups', ALL)
  const { data: models } = useAdmin('models', ALL)
  const modelsOf = (group: string): string[] => {
    const listed = groups.data?.data.find(({ id }) => id === group)?.models
    const names = Array.isArray(listed) ? listed.map(String) : ['*']
    const all = (models?.data ?? []).map(({ id }) => id)
    return names.includes('*') ? all : all.filter((id) => names.includes(id))
  }
  return {
    groups: {
      ...groups,
      data: groups.data?.data.map(({ id, models_offered, multiplier }) => ({
        id,
        models: models_offered,
        multiplier: String(multiplier ?? '1'),
        is_default: id === 'default',
      })),
    },
    modelsOf,
    async create(request) {
      const change = { method: 'POST', path: 'keys', body: { account: account ?? '', ...request } } as const
      const planned = await rehearse(change)
      if (!planned.ok) return planned
      const made = await act({
        ...change,
        rehearsed: planned.value,
        ...words('key create', request.name),
      })
      return { ok: true, value: made && { key: made, secret: made.secret } } as Result<KeyWithSecret | undefined>
    },
    async change({ id, name }, changes) {
      const change = { method: 'PATCH', path: 'keys/{key}', params: { key: id }, body: changes } as const
      const planned = await rehearse(change)
      if (!planned.ok) return planned
      const value = await act({
        ...change,
        rehearsed: planned.value,
        ...words('key limit', name),
      })
      return { ok: true, value }
    },
    async rotate({ id, name, last_four }, grace_seconds) {
      const made = await act({
        method: 'POST',
        path: 'keys/{key}/rotate',
        params: { key: id },
        body: { grace_seconds },
        title: rotate.title(name),
        text: rotate.text(last_four),
        action: rotate.submit,
        done: words('key limit').done,
        hideChanges: true,
      })
      return { ok: true, value: made && { key: made, secret: made.secret } } as Result<KeyWithSecret | undefined>
    },
    hasCeiling: false,
  }
}

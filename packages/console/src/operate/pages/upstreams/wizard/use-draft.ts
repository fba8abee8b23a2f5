// The draft is kept in this tab: a reload or a look at another page loses nothing but the key and other secrets, which are never stored.
import { useState } from 'react'
import { type Draft, EMPTY, type SetDraft } from './draft.ts'

const NAME = 'trivium-upstream-draft'
/** undefined: the tab has been reloaded. */
let kept: Pick<Draft, 'key' | 'auth'> | undefined

export function useDraft(): [draft: Draft, set: SetDraft, clear: () => void] {
  const [draft, setDraft] = useState(restored)
  const set: SetDraft = (change) =>
    setDraft((former) => {
      const next = { ...former, ...change }
      kept = { key: next.key, auth: next.auth }
      sessionStorage.setItem(NAME, JSON.stringify({ ...next, key: '', auth: { type: next.auth.type } }))
      return next
    })
  const clear = () => {
    kept = undefined
    sessionStorage.removeItem(NAME)
    setDraft(EMPTY)
  }
  return [draft, set, clear]
}

function restored(): Draft {
  try {
    const stored = JSON.parse(sessionStorage.getItem(NAME) ?? '{}') as Partial<Draft>
    const draft = { ...EMPTY, ...stored, ...kept }
    // Without its key nothing of what follows can be done.
    return draft.step !== 'kind' && !kept ? { ...draft, step: 'key' } : draft
  } catch {
    return EMPTY
  }
}

import { useWords } from '../../i18n/use-words.ts'
import type { Act } from '../../ui/act-types.ts'

const RESTORE = 'configuration/revisions/{revision}/restore'

/** All that is stored becomes what it was at this revision. */
export function useRestoring(): (revision: string) => Act<'POST', typeof RESTORE> {
  const words = useWords()
  return (revision) => ({
    method: 'POST',
    path: RESTORE,
    params: { revision },
    ...words('revision restore', revision),
    danger: true,
    reason: 'required',
  })
}

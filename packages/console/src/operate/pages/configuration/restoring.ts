import type { OperateTexts } from '../../i18n/texts.ts'
import type { Act } from '../../ui/act-types.ts'

const RESTORE = 'configuration/revisions/{revision}/restore'

/** All that is stored becomes what it was at this revision. */
export const restoring = (
  revision: string,
  t: OperateTexts['configuration']['revisions'],
): Act<'POST', typeof RESTORE> => ({
  method: 'POST',
  path: RESTORE,
  params: { revision },
  title: t.restoreTitle(revision),
  text: t.restoreText,
  action: t.restore,
  done: t.restored(revision),
  danger: true,
  reason: 'required',
})

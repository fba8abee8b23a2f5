import type { OperateTexts } from '../../i18n/texts.ts'

export const ledger: OperateTexts['ledger'] = {
  title: '账本',
}

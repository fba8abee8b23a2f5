import type { OperateTexts } from '../../i18n/texts.ts'

export const accounts: OperateTexts['accounts'] = {
  title: '账户',
}

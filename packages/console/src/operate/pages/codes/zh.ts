import type { OperateTexts } from '../../i18n/texts.ts'

export const codes: OperateTexts['codes'] = {
  title: '兑换码',
}

import type { OperateTexts } from '../../i18n/texts.ts'

export const alerts: OperateTexts['alerts'] = {
  title: '告警',
}

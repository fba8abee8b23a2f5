import type { OperateTexts } from '../../i18n/texts.ts'

export const tasks: OperateTexts['tasks'] = {
  title: '任务',
}

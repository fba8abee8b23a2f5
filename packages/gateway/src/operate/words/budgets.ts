// Budgets.
import type { Words } from './words.ts'

export const BUDGET_WORDS = {
  'budget create': {
    act: { en: 'Create budget', zh: '创建预算' },
    ask: { en: 'Create the budget {x}?', zh: '创建预算“{x}”？' },
    done: { en: 'The budget was created.', zh: '预算已创建。' },
    did: { en: 'created a budget', zh: '创建了预算' },
  },
  'budget change': {
    act: { en: 'Save', zh: '保存' },
    ask: { en: 'Change the budget {x}?', zh: '更改预算“{x}”？' },
    done: { en: 'The budget was changed.', zh: '预算已更改。' },
    did: { en: 'changed the budget {x}', zh: '修改了预算 {x}' },
  },
  'budget delete': {
    act: { en: 'Delete', zh: '删除' },
    ask: { en: 'Delete the budget {x}?', zh: '删除预算“{x}”？' },
    text: {
      en: 'Requests are no longer limited by it. What was spent stays in the ledger and on receipts.',
      zh: '请求将不再受其限制。已花费的金额仍保留在账本和收据中。',
    },
    done: { en: 'The budget was deleted.', zh: '预算已删除。' },
    did: { en: 'deleted the budget {x}', zh: '删除了预算 {x}' },
  },
} as const satisfies Words
